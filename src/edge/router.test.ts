import { expect, test } from "vitest";
import { systemClock } from "../kernel/clock.ts";
import { tableOf } from "./edge.fixture.ts";
import { hostName, Router } from "./router.ts";

test.each([
  ["shop.example.com", "shop.example.com"],
  ["Shop.Example.com:8080", "shop.example.com"],
  ["shop.example.com.", "shop.example.com"],
  ["SHOP.example.com.:80", "shop.example.com"],
  ["[::1]:8080", "[::1]"],
  ["[::1]", "[::1]"],
  ["", ""],
])("%s names %s", (header, name) => {
  expect(hostName(header)).toBe(name);
});

test("an older table changes nothing, the same version again does", () => {
  const router = new Router(systemClock, 60_000);
  router.replace(tableOf(5, { a: { kind: "notice", notice: "STOPPED" } }));
  router.replace(tableOf(4, { a: { kind: "notice", notice: "CRASHED" } }));
  expect(router.version).toBe(5);
  expect(router.find("A:80")).toEqual({ serviceId: "service-of-a", kind: "notice", notice: "STOPPED" });
  router.replace(tableOf(5, {}));
  expect(router.find("a")).toBeUndefined();
});
