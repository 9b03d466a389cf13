import { defineMessages } from "../../i18n/messages.ts";

export const activityMessages = defineMessages({
  en: {
    title: "Activity",
    hint: "What happened in the account, newest first.",
    emptyTitle: "Nothing has happened yet",
    empty: "Deployments, changes and people who joined appear here.",
    system: "Ksar",
  },
  fr: {
    title: "Activité",
    hint: "Ce qui s’est passé dans le compte, le plus récent d’abord.",
    emptyTitle: "Rien ne s’est encore passé",
    empty: "Les déploiements, les changements et les nouveaux membres apparaissent ici.",
    system: "Ksar",
  },
  ar: {
    title: "النشاط",
    hint: "ما حدث في الحساب، الأحدث أولًا.",
    emptyTitle: "لم يحدث شيء بعد",
    empty: "تظهر هنا عمليات النشر والتغييرات ومن انضموا.",
    system: "Ksar",
  },
});
