import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Half of what acceptance tests take is waiting, for processes, windows of time, drains: on two cores three workers
    // keep these busy.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "tests/**/*.test.ts"],
          globalSetup: ["tests/database.setup.ts"],
          // The modules are read once a worker instead of once a file, which saves a second of processor time each. So
          // no module and no test may leave anything behind: state at a module's top level, timers, handlers.
          isolate: false,
          testTimeout: 60_000,
          // What hooks do (passwords that are hard to hash, processes) takes as long on a busy machine as what tests do.
          hookTimeout: 60_000,
          // What comes late on a busy machine has come: the assertion is that it does.
          expect: { poll: { timeout: 50_000 } },
        },
      },
      {
        test: {
          name: "acceptance",
          include: ["acceptance/**/*.test.ts"],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect: { poll: { timeout: 60_000 } },
        },
      },
    ],
  },
});
