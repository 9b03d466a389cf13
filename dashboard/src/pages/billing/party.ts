/** Seller or buyer of an invoice: a snapshot that the API hands on without a form, so each field is looked at. */
export function partyOf(snapshot: unknown) {
  const given = new Map<string, unknown>(
    typeof snapshot === "object" && snapshot !== null ? Object.entries(snapshot) : [],
  );
  const text = (field: string) => {
    const value = given.get(field);
    return typeof value === "string" && value !== "" ? value : null;
  };
  return {
    name: text("name"),
    address: text("address"),
    email: text("email"),
    ice: text("ice"),
    taxId: text("taxId"),
    rc: text("rc"),
  };
}
