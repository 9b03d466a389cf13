import { describe, expect, test } from "vitest";
import { statisticsIn } from "./statistics.ts";
import { type HaproxyMark, HaproxyTraffic } from "./traffic.ts";
import { linesIn } from "./traffic-log.ts";

const services = new Map([["slot0", "a"]]);

/** A server that has answered so many requests with 200, of 10 bytes each, with 100 bytes each. */
function row(server: string, requests: number): string {
  return `# pxname,svname,scur,bin,bout,hrsp_1xx,hrsp_2xx,hrsp_3xx,hrsp_4xx,hrsp_5xx\nslot0,${server},1,${requests * 10},${requests * 100},9,${requests},0,0,0\n\n`;
}

function sums(traffic: HaproxyTraffic) {
  return traffic.take().services.map((one) => [one.serviceId, one.requests, one.bytesIn, one.bytesOut]);
}

describe("what HAProxy has carried", () => {
  test("only grows, through servers that come, go and begin anew", () => {
    const traffic = new HaproxyTraffic(null);
    traffic.add(row("one", 5), services);
    traffic.add(row("one", 7), services);
    traffic.add(row("builtin", 50), services);
    expect(sums(traffic)).toEqual([["a", 7, 70, 700]]);
    traffic.add(row("one", 2), services); // another server of that name
    traffic.forget("slot0", "one");
    traffic.add(row("one", 4), services);
    traffic.add(row("one", 5), new Map()); // the service has left, its last requests have not
    expect(sums(traffic)).toEqual([["a", 7, 70, 700]]);
    expect(sums(traffic)).toEqual([]);
  });

  test("is counted on from the mark by the next process", () => {
    const traffic = new HaproxyTraffic(null);
    traffic.add(row("one", 5), services);
    const mark = JSON.parse(JSON.stringify(traffic.mark())) as HaproxyMark;
    const next = new HaproxyTraffic(mark);
    next.add(row("one", 8), services);
    expect(sums(next)).toEqual([["a", 3, 30, 300]]);
    next.beginAnew(); // HAProxy has died
    next.add(row("one", 8), services);
    expect(sums(next)).toEqual([["a", 8, 80, 800]]);
  });

  test("is told in several tables, one behind the other, and lines behind them", () => {
    const head = "# pxname,svname,scur,bin,bout,hrsp_2xx,hrsp_3xx,hrsp_4xx,hrsp_5xx";
    const answer = `${head}\nslot0,one,2,10,100,1,2,3,4\n\n${head}\nslot1,two,0,,,5,,,\n\n7 slot0 one -- 200 +3 2875\n\n`;
    expect(statisticsIn(answer).filter(({ server }) => server !== "")).toEqual([
      { slot: "slot0", server: "one", current: 2, counts: [10, 100, 1, 2, 3, 4] },
      { slot: "slot1", server: "two", current: 0, counts: [0, 0, 5, 0, 0, 0] },
    ]);
    expect(linesIn(answer, -1).map(({ number }) => number)).toEqual([7]);
  });
});

const line = { number: 5, slot: "slot7", server: "one:127.0.0.1:1", state: "--", status: 200, ms: 2.875 };

test.each([
  ["5 slot7 one:127.0.0.1:1 -- 200 +3 2875", line],
  ["5 slot7 <NOSRV> SC 503 251 -", { ...line, server: "<NOSRV>", state: "SC", status: 503, ms: 251 }],
  ["5 slot7 one:127.0.0.1:1 CH -1 -1 -", { ...line, state: "CH", status: -1, ms: null }],
  ["Unknown command", null],
  ["", null],
])("the line %s", (text, expected) => {
  expect(linesIn(`${text}\n`, 4)).toEqual(expected === null ? [] : [expected]);
});

test("lines are counted once, though the ring tells them again; those that were dropped are noticed", () => {
  const told = [
    "0 slot0 one -- 200 +3 2875",
    "1 slot0 one sH 504 60000 -",
    "2 slot0 one CH -1 -1 -",
    "3 slot0 one -- 101 +1 900",
    "4 slot0 builtin -- 200 +1 900",
    "5 visitors <NOSRV> PR 400 0 -",
  ];
  const traffic = new HaproxyTraffic(null);
  for (const upTo of [2, 3, 6, 6]) traffic.add(`${row("one", 1)}${told.slice(0, upTo).join("\n")}\n`, services);
  const {
    services: [first],
    missed,
  } = traffic.take();
  expect([first?.requests, first?.statuses, missed]).toEqual([4, [1, 1, 0, 0, 1], 0]);
  expect(first?.latencies.reduce((sum, count) => sum + count, 0)).toBe(3);
  const next = new HaproxyTraffic(traffic.mark());
  next.add([...told.slice(4), "8 slot0 one SC 503 0 -", ""].join("\n"), services);
  expect(next.take()).toMatchObject({ services: [{ requests: 1, statuses: [0, 0, 0, 0, 1] }], missed: 2 });
});
