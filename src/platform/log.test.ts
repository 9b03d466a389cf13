import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { createLogger } from "./log.ts";

test.runIf(existsSync("/dev/full"))("a log on a full disk throws nothing, however much is said", () => {
  const logger = createLogger("test", "info", "/dev/full");
  const text = "x".repeat(2000);
  expect(() => {
    for (let number = 0; number < 2000; number += 1) logger.info({ text }, "lost");
  }).not.toThrow();
});
