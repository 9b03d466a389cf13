import { defineMessages } from "../i18n/messages.ts";

export const paletteMessages = defineMessages({
  en: {
    title: "Go to",
    nothing: "Nothing has that name.",
    kinds: { service: "Service", project: "Project", page: "Page" },
  },
  fr: {
    title: "Aller à",
    nothing: "Rien ne porte ce nom.",
    kinds: { service: "Service", project: "Projet", page: "Page" },
  },
  ar: {
    title: "انتقل إلى",
    nothing: "لا شيء بهذا الاسم.",
    kinds: { service: "خدمة", project: "مشروع", page: "صفحة" },
  },
});
