import { expect, onTestFinished, test } from "vitest";
import { type InstanceGroup, Upstreams } from "./upstreams.ts";

const target = (id: string, port = 4001) => ({ id, host: "127.0.0.1", port });

function start(...ids: readonly string[]) {
  let now = 1_000_000;
  const upstreams = new Upstreams({ now: () => new Date(now) }, 60_000);
  onTestFinished(() => upstreams.destroy());
  const [group] = upstreams.replace([ids.map((id) => target(id))]);
  if (group === undefined) throw new Error("one list gives one group");
  const pass = (milliseconds: number) => {
    now += milliseconds;
  };
  return { upstreams, group, pass };
}

function chosen(group: InstanceGroup) {
  const upstream = group.choose([]);
  if (upstream === null) throw new Error("there is one to choose");
  return upstream;
}

test("equals take turns", () => {
  const { group } = start("a", "b", "c");
  expect([1, 2, 3, 4, 5, 6].map(() => chosen(group).id)).toEqual(["a", "b", "c", "a", "b", "c"]);
});

test("the least busy one is chosen", () => {
  const { upstreams, group } = start("a", "b");
  const busy = chosen(group);
  upstreams.begin(busy);
  for (let round = 0; round < 4; round += 1) expect(chosen(group).id).not.toBe(busy.id);
  upstreams.end(busy);
});

test("one that refused is passed over for a second, unless it is the only one", () => {
  const { group, pass } = start("a", "b");
  const refused = chosen(group);
  group.passOver(refused);
  for (let round = 0; round < 4; round += 1) expect(chosen(group).id).not.toBe(refused.id);
  pass(1_000);
  expect([chosen(group).id, chosen(group).id].sort()).toEqual(["a", "b"]);

  const alone = start("a").group;
  alone.passOver(chosen(alone));
  expect(chosen(alone).id).toBe("a");
});

test("those already tried are not chosen again", () => {
  const { group } = start("a", "b");
  const first = chosen(group);
  const second = group.choose([first]);
  expect(second?.id).not.toBe(first.id);
  expect(second && group.choose([first, second])).toBeNull();
});

test("one that stays keeps its pool and its count, one that goes is counted until it is done", () => {
  const { upstreams, group } = start("a", "b");
  const [a, b] = [chosen(group), chosen(group)];
  upstreams.begin(a);
  upstreams.begin(b);
  const [next] = upstreams.replace([[target("a"), target("c")]]);
  expect(next?.choose([])).not.toBe(b);
  expect(upstreams.inFlight(["a", "b", "c", "unknown"])).toEqual({ a: 1, b: 1, c: 0, unknown: 0 });
  expect(a.pool.closed).toBe(false);
  expect(b.pool.closed).toBe(true);
  upstreams.end(b);
  expect(upstreams.inFlight(["b"])).toEqual({ b: 0 });
});

test("an instance started again at another port is counted together with its former self", () => {
  const { upstreams, group } = start("a");
  upstreams.begin(chosen(group));
  const [moved] = upstreams.replace([[target("a", 4002)]]);
  const again = moved?.choose([]);
  if (!again) throw new Error("there is one to choose");
  upstreams.begin(again);
  expect(again.port).toBe(4002);
  expect(upstreams.inFlight(["a"])).toEqual({ a: 2 });
});
