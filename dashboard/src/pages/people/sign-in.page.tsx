import { useMutation } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { useState } from "react";
import { sessions } from "../../api/client.ts";
import { fieldsOf } from "../../app/form.ts";
import { Problem } from "../../app/problem.tsx";
import { Redirect } from "../../app/redirect.tsx";
import { sessionChanged, useSession } from "../../app/session.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { frontMessages } from "./front.messages.ts";
import { Front } from "./front.tsx";

/** Where they were going; only ever an address of the dashboard's own. */
function useNext(): string {
  const { searchStr } = useLocation();
  const next = new URLSearchParams(searchStr).get("next") ?? "";
  return /^\/(?!\/)/.test(next) && !next.includes("\\") ? next : paths.home;
}

export function Page() {
  const t = useMessages(frontMessages);
  const next = useNext();
  const { data: session } = useSession();
  const [needsCode, setNeedsCode] = useState(false);
  const signIn = useMutation({
    mutationFn: ({ email, password }: { email: string; password: string }) => sessions.signIn(email, password),
    onSuccess: async ({ twoFactorRedirect }) => (twoFactorRedirect === true ? setNeedsCode(true) : sessionChanged()),
  });
  const verify = useMutation({ mutationFn: (code: string) => sessions.verifyCode(code), onSuccess: sessionChanged });
  if (session !== undefined && session !== null) return <Redirect to={next} />;
  if (needsCode)
    return (
      <Front title={t.signIn.codeTitle} hint={t.signIn.codeHint}>
        <form className="grid gap-4" onSubmit={(event) => verify.mutate(fieldsOf(event)("code").trim())}>
          {verify.error !== null && <Problem error={verify.error} />}
          <TextField
            label={t.signIn.code}
            name="code"
            required
            autoFocus
            autoComplete="one-time-code"
            maxLength={20}
            mono
          />
          <Button type="submit" variant="primary" busy={verify.isPending}>
            {t.signIn.codeAction}
          </Button>
          <Button variant="ghost" onClick={() => setNeedsCode(false)}>
            {t.signIn.again}
          </Button>
        </form>
      </Front>
    );
  return (
    <Front title={t.signIn.title}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          const field = fieldsOf(event);
          signIn.mutate({ email: field("email"), password: field("password") });
        }}
      >
        {signIn.error !== null && <Problem error={signIn.error} />}
        <TextField label={t.email} name="email" type="email" required maxLength={320} autoComplete="username" />
        <TextField
          label={t.password}
          name="password"
          type="password"
          required
          maxLength={128}
          autoComplete="current-password"
        />
        <Button type="submit" variant="primary" busy={signIn.isPending}>
          {t.signIn.action}
        </Button>
        <Link
          to={paths.forgotPassword}
          className="justify-self-center text-soft underline underline-offset-4 hover:text-ink"
        >
          {t.signIn.forgot}
        </Link>
      </form>
    </Front>
  );
}
