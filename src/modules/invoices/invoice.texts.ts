/** What is printed on invoices, in both languages. */
import type { Translated } from "../../kernel/language.ts";

export interface InvoiceTexts {
  readonly invoice: string;
  readonly creditNote: string;
  readonly number: string;
  readonly seller: string;
  readonly buyer: string;
  readonly issuedOn: string;
  readonly servicePeriod: string;
  readonly paidBy: string;
  readonly paymentReference: string;
  readonly paidOn: string;
  readonly corrects: string;
  readonly status: Readonly<Record<"OPEN" | "PAID" | "VOID", string>>;
  readonly credited: string;
  readonly description: string;
  readonly quantity: string;
  readonly unitPrice: string;
  readonly amount: string;
  readonly subtotal: string;
  readonly tax: (rate: string) => string;
  readonly total: string;
  readonly inWords: (isCreditNote: boolean, words: string) => string;
  readonly page: (number: number, of: number) => string;
  readonly pdf: string;
  readonly other: string;
  readonly taxId: string;
  readonly taxePro: string;
  readonly voided: string;
  readonly providers: Readonly<Record<string, string>>;
  readonly gone: readonly [string, string];
}

export const invoiceTexts: Translated<InvoiceTexts> = {
  fr: {
    invoice: "Facture",
    creditNote: "Avoir",
    number: "N°",
    seller: "Émetteur",
    buyer: "Facturé à",
    issuedOn: "Date d’émission",
    servicePeriod: "Période de service",
    paidBy: "Mode de règlement",
    paymentReference: "Référence du règlement",
    paidOn: "Réglée le",
    corrects: "Relatif à la facture",
    status: { OPEN: "À régler", PAID: "Réglée", VOID: "Annulée" },
    credited: "Émis",
    description: "Désignation",
    quantity: "Quantité",
    unitPrice: "P.U. HT",
    amount: "Montant HT",
    subtotal: "Total HT",
    tax: (rate) => `TVA ${rate} %`,
    total: "Total TTC",
    inWords: (isCreditNote, words) =>
      `${isCreditNote ? "Arrêté le présent avoir" : "Arrêtée la présente facture"} à la somme de : ${words}, toutes taxes comprises.`,
    page: (number, of) => `Page ${number} / ${of}`,
    pdf: "Télécharger le PDF",
    other: "English",
    taxId: "IF",
    taxePro: "Taxe professionnelle",
    voided: "Cette facture est annulée. Son numéro reste attribué.",
    providers: {
      cmi: "Carte bancaire (CMI)",
      stripe: "Carte bancaire (Stripe)",
      manual: "Virement bancaire",
      sandbox: "Bac à sable (aucun paiement réel)",
      credit: "Crédit prépayé",
    },
    gone: [
      "Ce lien n’est plus valable",
      "Les liens vers une facture sont valables 30 jours. Demandez-en un nouveau à qui vous l’a envoyé.",
    ],
  },
  en: {
    invoice: "Invoice",
    creditNote: "Credit note",
    number: "No.",
    seller: "From",
    buyer: "Billed to",
    issuedOn: "Date of issue",
    servicePeriod: "Service period",
    paidBy: "Payment method",
    paymentReference: "Payment reference",
    paidOn: "Paid on",
    corrects: "For invoice",
    status: { OPEN: "To be paid", PAID: "Paid", VOID: "Void" },
    credited: "Issued",
    description: "Description",
    quantity: "Quantity",
    unitPrice: "Unit price",
    amount: "Amount",
    subtotal: "Total excl. tax",
    tax: (rate) => `VAT (TVA) ${rate}%`,
    total: "Total incl. tax",
    inWords: (isCreditNote, words) =>
      `This ${isCreditNote ? "credit note" : "invoice"} is closed at the sum of ${words}, all taxes included.`,
    page: (number, of) => `Page ${number} of ${of}`,
    pdf: "Download the PDF",
    other: "Français",
    taxId: "Tax ID (IF)",
    taxePro: "Business tax (TP)",
    voided: "This invoice is void. Its number stays taken.",
    providers: {
      cmi: "Bank card (CMI)",
      stripe: "Bank card (Stripe)",
      manual: "Bank transfer",
      sandbox: "Sandbox (no real payment)",
      credit: "Prepaid credit",
    },
    gone: [
      "This link does not work any more",
      "Links to an invoice are good for 30 days. Ask whoever sent it to you for a new one.",
    ],
  },
};
