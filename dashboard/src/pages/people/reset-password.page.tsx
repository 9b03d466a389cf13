import { useMutation } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { ApiError } from "../../../../sdk/client.ts";
import { sessions } from "../../api/client.ts";
import { fieldsOf } from "../../app/form.ts";
import { Problem } from "../../app/problem.tsx";
import { sessionChanged } from "../../app/session.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { frontMessages } from "./front.messages.ts";
import { Front } from "./front.tsx";

export function Page() {
  const t = useMessages(frontMessages);
  const { token = "" } = useParams({ strict: false });
  const reset = useMutation({
    mutationFn: (password: string) => sessions.resetPassword(token, password),
    onSuccess: sessionChanged,
  });
  if (reset.isSuccess)
    return (
      <Front title={t.reset.title} hint={t.reset.done}>
        <Link to={paths.signIn()} className={buttonClass("primary")}>
          {t.signIn.action}
        </Link>
      </Front>
    );
  const { error } = reset;
  // The library says no more than that about a token.
  const isSpent = error instanceof ApiError && /token/i.test(error.message);
  return (
    <Front title={t.reset.title} hint={t.reset.hint}>
      <form className="grid gap-4" onSubmit={(event) => reset.mutate(fieldsOf(event)("password"))}>
        {isSpent ? (
          <Notice tone="bad">
            {t.reset.spent}{" "}
            <Link to={paths.forgotPassword} className="underline underline-offset-4">
              {t.reset.another}
            </Link>
          </Notice>
        ) : (
          error !== null && <Problem error={error} />
        )}
        <TextField
          label={t.newPassword}
          hint={t.passwordHint}
          name="password"
          type="password"
          required
          minLength={8}
          maxLength={128}
          autoComplete="new-password"
        />
        <Button type="submit" variant="primary" busy={reset.isPending}>
          {t.reset.action}
        </Button>
      </form>
    </Front>
  );
}
