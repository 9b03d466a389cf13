import fc from "fast-check";
import { expect, test } from "vitest";
import { DeliveryLanes, type LaneLimits, type Waiting } from "./delivery-lanes.ts";

const limits: LaneLimits = { perWebhook: 2, perAccount: 3, inAll: 8, ahead: 4 };

const item = (webhookId: string, id: number, accountId = webhookId): Waiting => ({
  id: `${webhookId}/${id}`,
  webhookId,
  accountId,
});
const offer = (lanes: DeliveryLanes<Waiting>, items: readonly Waiting[], failing = false) => {
  const [first] = items;
  if (first !== undefined) lanes.offer({ ...first, failing }, items);
};
const ids = (items: readonly Waiting[]) => items.map(({ id }) => id);

test("lanes start in turn, each in its order, within its share", () => {
  const lanes = new DeliveryLanes<Waiting>(limits);
  offer(
    lanes,
    [1, 2, 3, 4, 5].map((n) => item("a", n)),
  );
  offer(
    lanes,
    [1, 2].map((n) => item("b", n)),
  );
  expect(ids(lanes.take())).toEqual(["a/1", "b/1", "a/2", "b/2"]);
  expect(lanes.take()).toEqual([]);
  expect(lanes.inHand, "no more than four ahead").not.toContain("a/5");
  lanes.ended(item("a", 1), true);
  expect(ids(lanes.take())).toEqual(["a/3"]);
});

test("an account has its share, however many webhooks it has", () => {
  const lanes = new DeliveryLanes<Waiting>(limits);
  for (const name of ["a", "b", "c"]) offer(lanes, [item(name, 1, "one"), item(name, 2, "one")]);
  offer(lanes, [item("d", 1, "two")]);
  expect(ids(lanes.take())).toEqual(["a/1", "b/1", "c/1", "d/1"]);
});

test("what fails has one attempt at a time, and all that fail have half of the places", () => {
  const lanes = new DeliveryLanes<Waiting>(limits);
  offer(
    lanes,
    [1, 2, 3].map((n) => item("a", n)),
  );
  expect(ids(lanes.take())).toEqual(["a/1", "a/2"]);
  lanes.ended(item("a", 1), false);
  expect(lanes.inHand, "what waited goes back").toEqual(["a/1", "a/2"]);
  expect(lanes.full).toEqual(["a"]);
  lanes.recorded(item("a", 1));
  lanes.ended(item("a", 2), false);
  for (const name of ["b", "c", "d", "e", "f"]) offer(lanes, [item(name, 1), item(name, 2)], true);
  offer(lanes, [item("a", 3), item("a", 4)]);
  expect(lanes.take()).toHaveLength(4);
  offer(
    lanes,
    [1, 2].map((n) => item("healthy", n)),
  );
  expect(ids(lanes.take())).toEqual(["healthy/1", "healthy/2"]);
});

test("a lane that succeeds again is whole again", () => {
  const lanes = new DeliveryLanes<Waiting>(limits);
  offer(lanes, [item("a", 1)], true);
  expect(ids(lanes.take())).toEqual(["a/1"]);
  lanes.ended(item("a", 1), true);
  offer(
    lanes,
    [2, 3, 4].map((n) => item("a", n)),
    true,
  );
  expect(ids(lanes.take())).toEqual(["a/2", "a/3"]);
});

test("whatever happens: order within a webhook, no bound passed, nothing twice, nothing held for ever", () => {
  const step = fc.record({
    what: fc.constantFrom("offer", "take", "end", "record"),
    lane: fc.integer({ min: 0, max: 9 }),
    good: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const lanes = new DeliveryLanes<Waiting>(limits);
      const account = (lane: number) => `account ${lane % 3}`;
      const due = new Map<string, number>();
      const running: Waiting[] = [];
      const ended: Waiting[] = [];
      const started = new Map<string, number>();
      const take = () => {
        for (const one of lanes.take()) {
          const number = Number(one.id.split("/")[1]);
          expect(number).toBe((started.get(one.webhookId) ?? 0) + 1);
          started.set(one.webhookId, number);
          running.push(one);
        }
        expect(running.length).toBe(lanes.running);
        expect(running.length).toBeLessThanOrEqual(limits.inAll);
        for (const [key, most] of [
          ["webhookId", limits.perWebhook],
          ["accountId", limits.perAccount],
        ] as const)
          for (const group of Map.groupBy(running, (one) => one[key]).values())
            expect(group.length).toBeLessThanOrEqual(most);
      };
      for (const { what, lane, good } of steps) {
        const webhookId = `w${lane}`;
        if (what === "offer") {
          const from = (started.get(webhookId) ?? 0) + 1;
          const last = Math.max(from, due.get(webhookId) ?? 0) + 2;
          due.set(webhookId, last);
          const items = Array.from({ length: last - from + 1 }, (_, n) => item(webhookId, from + n, account(lane)));
          offer(lanes, items, good);
        } else if (what === "take") take();
        else if (what === "end") {
          const one = running.splice(lane % (running.length || 1), 1)[0];
          if (one !== undefined) {
            lanes.ended(one, good);
            ended.push(one);
          }
        } else {
          for (const one of ended.splice(0)) lanes.recorded(one);
        }
      }
      for (let round = 0; round < 200 && lanes.inHand.length > 0; round++) {
        take();
        for (const one of running.splice(0)) {
          lanes.ended(one, true);
          ended.push(one);
        }
        for (const one of ended.splice(0)) lanes.recorded(one);
      }
      expect(lanes.inHand).toEqual([]);
      expect(lanes.running).toBe(0);
      expect(lanes.full).toEqual([]);
    }),
  );
});
