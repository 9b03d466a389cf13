/**
 * For each operation a request that succeeds, made anew for each test. The generated tests (operations.test.ts) break one
 * thing at a time about it. An operation without an entry here fails them: nothing is missed.
 */
import { billingExamples } from "./examples/billing.ts";
import { peopleExamples } from "./examples/people.ts";
import { servicesExamples } from "./examples/services.ts";
import type { Examples } from "./examples/world.ts";

export const examples: Examples = { ...peopleExamples, ...servicesExamples, ...billingExamples };
