/** What more than one page of billing reads. Every change touches `billing`: money shows in all of them. */
import { queryOptions } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { api } from "./client.ts";

export type Subscription = Schemas["Subscription"];
export type Plan = Subscription["plan"];
export type Term = NonNullable<Subscription["term"]>;

/** What is paid elsewhere, or charged by the hour, shows by itself. */
const refetchInterval = 20_000;

export function subscriptionQuery() {
  return queryOptions({
    queryKey: ["billing", "subscription"],
    queryFn: ({ signal }) => answerOf(api.GET("/billing/subscription", { signal })),
    refetchInterval,
  });
}

export function walletQuery() {
  return queryOptions({
    queryKey: ["billing", "wallet"],
    queryFn: ({ signal }) => answerOf(api.GET("/billing/wallet", { signal })),
    refetchInterval,
  });
}

const readOverage = (signal: AbortSignal) => answerOf(api.GET("/billing/overage", { signal }));
export type Overage = Awaited<ReturnType<typeof readOverage>>;

export function overageQuery() {
  return queryOptions({
    queryKey: ["billing", "overage"],
    queryFn: ({ signal }) => readOverage(signal),
    refetchInterval,
  });
}

export type PlanOffer = Schemas["PlanOffer"];

/** Prices hold as long as the Ksar that serves them; what a change costs falls by the day. */
export function plansQuery() {
  return queryOptions({
    queryKey: ["billing", "plans"],
    queryFn: async ({ signal }) => (await answerOf(api.GET("/billing/plans", { signal }))).data,
    refetchInterval,
  });
}
