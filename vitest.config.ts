import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Acceptance tests mostly wait: for processes, windows of time, drains. One worker would leave a core idle.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "tests/**/*.test.ts"],
          globalSetup: ["tests/database.setup.ts"],
          testTimeout: 30_000,
          // What hooks do (passwords that are hard to hash, processes) takes as long on a busy machine as what tests do.
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: "acceptance",
          include: ["acceptance/**/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
