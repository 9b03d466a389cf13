/** The dashboard, as people use it: in a real browser, against the real program. One program, in the order of the story. */
import { afterAll, beforeAll, describe } from "vitest";
import { hasChromium } from "./browser.fixture.ts";
import { buckets } from "./dashboard/buckets.ts";
import { byItself } from "./dashboard/by-itself.ts";
import { databases } from "./dashboard/databases.ts";
import { deploying } from "./dashboard/deploying.ts";
import { everyPage } from "./dashboard/every-page.ts";
import { habits } from "./dashboard/habits.ts";
import { keys } from "./dashboard/keys.ts";
import { paying } from "./dashboard/paying.ts";
import { people } from "./dashboard/people.ts";
import { Stage } from "./dashboard/stage.ts";

describe.skipIf(!hasChromium)("the dashboard", () => {
  let opened: Stage;
  const stage = () => opened;
  beforeAll(async () => {
    opened = await Stage.open();
  });
  afterAll(() => opened?.close());

  deploying(stage);
  keys(stage);
  people(stage);
  paying(stage);
  byItself(stage);
  databases(stage);
  buckets(stage);
  everyPage(stage);
  habits(stage);
});
