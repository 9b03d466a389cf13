/**
 * Back from a checkout (`?payment=…`). What the address says is a hint that anybody can write: that money has come is
 * told from the statement alone.
 */
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { answerOf } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { useRights } from "../../app/session.ts";
import { useFormats, useMessages } from "../../i18n/locale.tsx";
import { Notice } from "../../ui/notice.tsx";
import { billingMessages } from "./billing.messages.ts";

/** An address that is kept or passed on tells no old news. */
const recentMs = 3_600_000;

export function PaymentResult() {
  const t = useMessages(billingMessages).payment;
  const result = new URLSearchParams(useLocation().searchStr).get("payment");
  const { may } = useRights();
  if (result === "paid") return may("billing.ledger") ? <Paid /> : null;
  if (result !== "failed" && result !== "abandoned" && result !== "expired") return null;
  return (
    <Notice tone={result === "failed" ? "warn" : "quiet"} title={t[result]}>
      {t.nothing}
    </Notice>
  );
}

function Paid() {
  const t = useMessages(billingMessages).payment;
  const formats = useFormats();
  const { data } = useQuery({
    queryKey: ["billing", "ledger", "latest"],
    queryFn: ({ signal }) => answerOf(api.GET("/billing/ledger", { params: { query: { limit: 10 } }, signal })),
  });
  const payment = data?.rows.find(({ kind }) => kind === "TOPUP");
  if (payment === undefined || Date.parse(payment.createdAt) < Date.now() - recentMs) return null;
  return (
    <Notice tone="good" title={t.paid}>
      {t.paidText(formats.money(payment.amountMinor), formats.dateTime(payment.createdAt))}
    </Notice>
  );
}
