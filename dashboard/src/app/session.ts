/** Who is signed in, the account that is looked at, and what its role may do. */
import { useQuery } from "@tanstack/react-query";
import { type operations, operations as table } from "../../../sdk/schema.ts";
import type { Session, SessionAccount } from "../../../sdk/session.ts";
import { queries, sessionKey, sessions } from "../api/client.ts";
import { chooseAccount, currentAccountId } from "../api/current-account.ts";
import { useMessages } from "../i18n/locale.tsx";
import { commonMessages } from "./common.messages.ts";

const ranks = ["VIEWER", "DEVELOPER", "ADMIN", "OWNER"] as const;
export type Role = (typeof ranks)[number];
const roleFor = { read: "VIEWER", write: "DEVELOPER", admin: "ADMIN" } as const;

export function useSession() {
  return useQuery({ queryKey: sessionKey, queryFn: () => sessions.current(), staleTime: 60_000 });
}

/** The account that was chosen, else the one they have been in for longest. */
export function accountOf(session: Session): SessionAccount | null {
  const chosen = session.accounts.find(({ id }) => id === currentAccountId()) ?? session.accounts[0] ?? null;
  if (chosen !== null && chosen.id !== currentAccountId()) chooseAccount(chosen.id);
  return chosen;
}

/** Everything that is known is another account's from here on. */
export async function switchAccount(id: string): Promise<void> {
  chooseAccount(id);
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  await queries.invalidateQueries({ queryKey: sessionKey });
}

/** After signing in or out, joining, or a new second factor. */
export async function sessionChanged(): Promise<void> {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  await queries.fetchQuery({ queryKey: sessionKey, queryFn: () => sessions.current(), staleTime: 0 });
}

export function useAccount(): SessionAccount {
  const { data } = useSession();
  const account = data === undefined || data === null ? null : accountOf(data);
  return account ?? { id: "", name: "", role: "VIEWER", lacksSecondFactor: false };
}

/** Whether the person's role reaches what each operation is declared to need. */
export function useRights() {
  const t = useMessages(commonMessages);
  const { role } = useAccount();
  const needed = (operation: keyof typeof operations): Role => roleFor[table[operation].access];
  const may = (operation: keyof typeof operations) => ranks.indexOf(role) >= ranks.indexOf(needed(operation));
  return {
    role,
    may,
    needed,
    /** null when they may; else why not, in words. */
    refused: (operation: keyof typeof operations): string | null =>
      may(operation) ? null : t.needsRole(t.roles[needed(operation)]),
  };
}
