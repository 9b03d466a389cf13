import { expect, test } from "vitest";
import { isAllowedAddress, isWithin, parseNetwork } from "./ip-allowlist.ts";

test.each(["203.0.113.7", "10.0.0.0/8", "::1", "2001:db8::/32", "::ffff:10.0.0.0/104", "0.0.0.0/0"])(
  "%s is an address or a network",
  (text) => expect(parseNetwork(text)).not.toBeNull(),
);

test.each([
  "",
  "10",
  "10.1",
  "0x7f.0.0.1",
  "10.0.0.0/33",
  "::/129",
  "example.com",
  "10.0.0.1-9",
  " ::1",
  "1.2.3.4/ 8",
  "999.1.1.1",
])("%j is none", (text) => expect(parseNetwork(text)).toBeNull());

test.each<[readonly string[], string, boolean]>([
  [[], "203.0.113.7", true],
  [["203.0.113.7"], "203.0.113.7", true],
  [["203.0.113.7"], "::ffff:203.0.113.7", true],
  [["203.0.113.0/24"], "203.0.114.1", false],
  [["::ffff:10.0.0.0/104"], "10.9.9.9", true],
  [["10.0.0.0/8"], "::1", false],
  [["2001:db8::/32"], "2001:db8:1::9", true],
  [["0.0.0.0/0"], "2001:db8::1", false],
  [["::/0"], "10.0.0.1", false],
  [["fe80::/10"], "fe80::1%eth0", true],
  [["127.0.0.1"], "127.0.0.2", false],
])("%j lets in %s: %j", (allowlist, address, allowed) => expect(isAllowedAddress(allowlist, address)).toBe(allowed));

test.each<[readonly string[], string, boolean]>([
  [["10.0.0.0/8"], "10.1.0.0/16", true],
  [["10.1.0.0/16"], "10.0.0.0/8", false],
  [["10.1.0.0/16"], "10.1.2.3", true],
  [["10.1.0.0/16"], "0.0.0.0/0", false],
  [["2001:db8::/32"], "10.0.0.1", false],
  [["10.0.0.0/8"], "::ffff:10.0.0.1", true],
])("within %j lies %s: %j", (allowlist, text, within) => expect(isWithin(allowlist, text)).toBe(within));
