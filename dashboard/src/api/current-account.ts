/** Which of a person's accounts is looked at. A choice, no secret: what it opens is judged by the session. */
const storageKey = "ksar.account";

let current: string | null = localStorage.getItem(storageKey);

export function currentAccountId(): string | null {
  return current;
}

export function chooseAccount(id: string | null): void {
  current = id;
  if (id === null) localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, id);
}
