import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeCursor, encodeCursor, pageOf } from "./cursor.ts";
import { DomainError } from "./errors.ts";
import { newId } from "./ids.ts";

test("a cursor comes back as the id it was made of", () => {
  fc.assert(fc.property(fc.uuid(), (id) => decodeCursor(encodeCursor(id)) === id));
});

test("any other text is refused as a validation failure", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(() => decodeCursor(text)).toThrow(DomainError);
    }),
  );
});

test("the extra row says that there are more and is not shown", () => {
  const rows = [newId(), newId(), newId()].map((id) => ({ id }));
  const page = pageOf(rows, 2, (row) => row.id);
  expect(page.data).toEqual([rows[0]?.id, rows[1]?.id]);
  expect(page.pagination).toEqual({ hasMore: true, nextCursor: encodeCursor(rows[1]?.id ?? "") });
  expect(pageOf(rows, 3, (row) => row.id).pagination).toEqual({ hasMore: false, nextCursor: null });
});
