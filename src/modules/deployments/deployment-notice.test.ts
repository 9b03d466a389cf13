import fc from "fast-check";
import { expect, test } from "vitest";
import { deploymentNotice } from "./deployment-notice.ts";
import type { EndedRow } from "./deployments.repo.ts";

const addresses = {
  addressOf: (slug: string) => `https://${slug}.example.com`,
  publicUrl: () => "https://ksar.example.com",
};
const row: EndedRow = {
  id: "0198",
  accountId: "0199",
  branch: "main",
  commitSha: "0123456789abcdef0123456789abcdef01234567",
  commitMessage: "Fix the cart\n\nat length",
  // Of the settings it takes these alone.
  settings: { type: "WEB", slug: "shop" } as EndedRow["settings"],
  serviceName: "Shop",
  projectName: "Boutique",
  currentDeploymentId: "0197",
  hasRelease: true,
};
const about = "Service: Shop (project Boutique)\nBranch: main\nCommit: 0123456789ab Fix the cart\nDeployment: 0198";

test("what is live is told with its address; a worker has none", () => {
  expect(deploymentNotice(row, null, addresses)).toEqual({
    accountId: "0199",
    event: "DEPLOY_SUCCESS",
    title: "Deployed: Shop",
    text: `A new release of Shop is live.\n\n${about}`,
    url: "https://shop.example.com",
    channelId: null,
    key: "deployment/0198",
  });
  expect(deploymentNotice({ ...row, settings: { ...row.settings, type: "WORKER" } }, null, addresses).url).toBeNull();
});

test("a failure is told with Ksar's own sentence, and that what serves goes on, where something does", () => {
  const failure =
    "The service ended with code 1 before it was ready. Its last lines:\nBuy cheap watches\nhttps://spam.example";
  const told = deploymentNotice(row, failure, addresses);
  expect(told).toMatchObject({
    event: "DEPLOY_FAILED",
    title: "Deployment failed: Shop",
    url: "https://ksar.example.com/deployments/0198",
  });
  expect(told.text).toBe(
    `The service ended with code 1 before it was ready. The log has the rest.\n\nWhat served before goes on serving.\n\n${about}`,
  );
  const first = deploymentNotice({ ...row, hasRelease: false, commitSha: null }, "There is no branch x.", addresses);
  expect(first.text).toBe("There is no branch x.\n\nService: Shop (project Boutique)\nBranch: main\nDeployment: 0198");
});

test("whatever a service prints, and however much, none of it is told", () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 2000 }),
      fc.array(fc.constantFrom("spam", "spam\n"), { minLength: 1 }),
      (line, said) => {
        const first = line.replaceAll(/[\n]|spam/g, "");
        const { text } = deploymentNotice(row, `${first}\n${said.join("")}`, addresses);
        expect(text).not.toContain("spam");
        expect(text.length).toBeLessThan(600);
      },
    ),
  );
});
