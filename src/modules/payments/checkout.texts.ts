/** What the checkout's pages say, in both languages. */
import type { Language, Translated } from "../../kernel/language.ts";

export interface CheckoutTexts {
  readonly title: string;
  readonly toPay: string;
  readonly reference: string;
  readonly validUntil: string;
  readonly back: string;
  readonly other: { readonly language: Language; readonly label: string };
  readonly sandboxNotice: string;
  readonly pay: (amount: string) => string;
  readonly fail: string;
  readonly abandon: string;
  readonly goToCard: (amount: string) => string;
  readonly cardNotice: string;
  readonly resume: string;
  readonly transferLead: string;
  readonly holder: string;
  readonly bank: string;
  readonly amount: string;
  readonly motive: string;
  readonly transferNotice: string;
  readonly states: Readonly<
    Record<"PAID" | "FAILED" | "ABANDONED" | "EXPIRED" | "WAITING" | "AWAY" | "UNKNOWN", readonly [string, string]>
  >;
  readonly paidOn: string;
}

export const checkoutTexts: Translated<CheckoutTexts> = {
  fr: {
    title: "Paiement",
    toPay: "À payer",
    reference: "Référence",
    validUntil: "Valable jusqu’au",
    back: "Retour à la facturation",
    other: { language: "en", label: "English" },
    sandboxNotice: "Bac à sable : aucun argent n’est prélevé. Choisissez ce qui doit se passer.",
    pay: (amount) => `Payer ${amount}`,
    fail: "Faire échouer le paiement",
    abandon: "Abandonner",
    goToCard: (amount) => `Payer ${amount} par carte`,
    cardNotice: "Vous payez sur la page sécurisée du Centre Monétique Interbancaire, puis vous revenez ici.",
    resume: "Continuer vers le paiement",
    transferLead: "Faites un virement bancaire avec exactement ces indications :",
    holder: "Bénéficiaire",
    bank: "Banque",
    amount: "Montant",
    motive: "Motif du virement",
    transferNotice:
      "Le motif permet de reconnaître votre virement. Le paiement est confirmé à la main dès que l’argent est arrivé, en général sous un à trois jours ouvrés. Vous pouvez fermer cette page.",
    states: {
      PAID: ["Paiement reçu", "Merci. Votre compte est à jour."],
      FAILED: ["Paiement refusé", "Rien n’a été prélevé. Recommencez depuis la page de facturation."],
      ABANDONED: ["Paiement abandonné", "Rien n’a été prélevé. Recommencez quand vous voulez."],
      EXPIRED: [
        "Cette page a expiré",
        "Recommencez depuis la page de facturation. Si vous avez déjà payé, cela compte.",
      ],
      WAITING: ["Nous attendons la banque", "Cela prend quelques secondes. Cette page se met à jour toute seule."],
      AWAY: ["Le service de paiement ne répond pas", "Rien n’a été prélevé. Réessayez dans une minute."],
      UNKNOWN: [
        "Il n’y a pas de paiement à cette adresse",
        "Vérifiez le lien, ou recommencez depuis la page de facturation.",
      ],
    },
    paidOn: "Payé le",
  },
  en: {
    title: "Payment",
    toPay: "To pay",
    reference: "Reference",
    validUntil: "Valid until",
    back: "Back to billing",
    other: { language: "fr", label: "Français" },
    sandboxNotice: "Sandbox: no money is taken. Choose what should happen.",
    pay: (amount) => `Pay ${amount}`,
    fail: "Let the payment fail",
    abandon: "Turn away",
    goToCard: (amount) => `Pay ${amount} by card`,
    cardNotice: "You pay on the secure page of the Centre Monétique Interbancaire, and come back here.",
    resume: "Go on to the payment",
    transferLead: "Make a bank transfer with exactly these details:",
    holder: "Beneficiary",
    bank: "Bank",
    amount: "Amount",
    motive: "Transfer reference",
    transferNotice:
      "The reference is how your transfer is recognised. The payment is confirmed by hand once the money has come, mostly within one to three working days. You can close this page.",
    states: {
      PAID: ["Payment received", "Thank you. Your account is up to date."],
      FAILED: ["Payment refused", "Nothing was taken. Begin again from the billing page."],
      ABANDONED: ["Payment abandoned", "Nothing was taken. Begin again whenever you like."],
      EXPIRED: ["This page has expired", "Begin again from the billing page. If you have paid already, that counts."],
      WAITING: ["Waiting for the bank", "It takes some seconds. This page is updated by itself."],
      AWAY: ["The payment service does not answer", "Nothing was taken. Try again in a minute."],
      UNKNOWN: ["There is no payment at this address", "Check the link, or begin again from the billing page."],
    },
    paidOn: "Paid on",
  },
};
