/** What went wrong, in words, with the request's id for whoever looks into it. */
import { Link } from "@tanstack/react-router";
import { SearchX, TriangleAlert } from "lucide-react";
import { ApiError } from "../../../sdk/client.ts";
import { useMessages } from "../i18n/locale.tsx";
import { paths } from "../paths.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Notice } from "../ui/notice.tsx";
import { commonMessages } from "./common.messages.ts";
import { switchAccount, useAccount, useSession } from "./session.ts";

export function useProblemText(): (error: unknown) => string {
  const t = useMessages(commonMessages);
  return (error) => {
    if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
    if (error.code === "network") return t.noAnswer;
    if (error.code === "rate_limited") return t.tooMany;
    return error.message;
  };
}

/** Above a form, or in the place of what could not be loaded. */
export function Problem({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const t = useMessages(commonMessages);
  const textOf = useProblemText();
  const requestId = error instanceof ApiError && error.status >= 500 ? error.requestId : null;
  return (
    <Notice tone="bad" title={t.problem}>
      <p>{textOf(error)}</p>
      {requestId !== null && <p className="code mt-1">{t.requestId(requestId)}</p>}
      {onRetry !== undefined && (
        <Button size="small" className="mt-2" onClick={onRetry}>
          {t.retry}
        </Button>
      )}
    </Notice>
  );
}

/** In the place of a page that could not be loaded. */
export function PageProblem({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const t = useMessages(commonMessages);
  if (error instanceof ApiError && (error.status === 404 || error.code === "validation_failed"))
    return <NotHere title={t.notFoundTitle} />;
  return <Problem error={error} {...(onRetry === undefined ? {} : { onRetry })} />;
}

/** Somebody's link may lead into another account of theirs. */
export function NotHere({ title }: { readonly title?: string }) {
  const t = useMessages(commonMessages);
  const account = useAccount();
  const { data } = useSession();
  const others = data?.accounts.filter(({ id }) => id !== account.id) ?? [];
  return (
    <EmptyState
      icon={<SearchX />}
      {...(title === undefined ? {} : { title })}
      action={
        <>
          <Link to={paths.home} className={buttonClass("primary")}>
            {t.goHome}
          </Link>
          {others.map(({ id, name }) => (
            <Button key={id} onClick={() => void switchAccount(id)}>
              {t.lookIn(name)}
            </Button>
          ))}
        </>
      }
    >
      {t.notFound(account.name)}
    </EmptyState>
  );
}

export function Crash() {
  const t = useMessages(commonMessages);
  return (
    <EmptyState
      icon={<TriangleAlert />}
      title={t.crashTitle}
      action={<Button onClick={() => location.reload()}>{t.reload}</Button>}
    >
      {t.crash}
    </EmptyState>
  );
}

/** Broken rules of a 422 by the field that they are about: `/name` is `name`. */
export function fieldProblems(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(error.details.map(({ path, message }) => [path.split("/")[1] ?? "", message]));
}
