import { type Examples, id, newService, type World } from "./world.ts";

/** An account has 500 at most, and the tests make more. */
async function forgetRules({ api, account }: World): Promise<void> {
  await api.query("delete from alert_rules where account_id = $1", [account.accountId]);
}

async function newRule(world: World): Promise<string> {
  await forgetRules(world);
  const body = { name: "Busy", metric: "CPU_CORES", comparator: "GT", threshold: 1.5 };
  return (await world.account.call("POST", "/alerts", body)).body.alert.id;
}

export const alertsExamples: Examples = {
  "services.metrics": async (world) => ({
    params: { id: await newService(world) },
    query: "since=2026-03-14T00:00:00Z&until=2026-03-15T00:00:00Z&step=3600",
  }),
  "alerts.list": async (world) => {
    await newRule(world);
    return {};
  },
  "alerts.create": async (world) => {
    await forgetRules(world);
    return {
      body: {
        name: "Shop is down",
        metric: "SERVICE_DOWN",
        comparator: "GT",
        threshold: 0,
        serviceId: await newService(world),
        channelId: null,
      },
    };
  },
  "alerts.update": async (world) => ({ params: { id: await newRule(world) }, body: { threshold: 2, enabled: false } }),
  "alerts.delete": (world) => id(newRule(world)),
  "alerts.events": async (world) => ({ params: { id: await newRule(world) }, query: "limit=5" }),
  "alerts.preview": async (world) => ({ query: `metric=MEMORY_MB&serviceId=${await newService(world)}` }),
};
