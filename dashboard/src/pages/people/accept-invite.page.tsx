import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { sessions } from "../../api/client.ts";
import { chooseAccount } from "../../api/current-account.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { fieldsOf } from "../../app/form.ts";
import { fieldProblems, Problem } from "../../app/problem.tsx";
import { sessionChanged } from "../../app/session.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/empty-state.tsx";
import { TextField } from "../../ui/field.tsx";
import { frontMessages } from "./front.messages.ts";
import { Front } from "./front.tsx";
import { isNotFound } from "./spent-link.ts";

export function Page() {
  const t = useMessages(frontMessages);
  const common = useMessages(commonMessages);
  const navigate = useNavigate();
  const { token = "" } = useParams({ strict: false });
  const invite = useQuery({
    queryKey: ["invite", token],
    queryFn: () => sessions.invite(token),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const join = useMutation({
    mutationFn: (form: { password: string; name?: string; code?: string }) => sessions.join(token, form),
    onSuccess: async ({ accountId }) => {
      chooseAccount(accountId);
      await sessionChanged();
      await navigate({ to: paths.home, replace: true });
    },
  });
  if (isNotFound(invite.error) || isNotFound(join.error))
    return (
      <Front title={t.invite.spentTitle} hint={t.invite.spent}>
        <Link to={paths.signIn()} className={buttonClass()}>
          {t.signUp.toSignIn}
        </Link>
      </Front>
    );
  if (invite.data === undefined)
    return (
      <Front title={common.loading}>
        {invite.error === null ? <Skeleton label={common.loading} /> : <Problem error={invite.error} />}
      </Front>
    );
  const { accountName, email, role, isKnown } = invite.data.invite;
  const problems = fieldProblems(join.error);
  return (
    <Front title={t.invite.title(accountName)} hint={t.invite.hint(email, common.roles[role])}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          const field = fieldsOf(event);
          const password = field("password");
          join.mutate(isKnown ? { password, code: field("code") } : { password, name: field("name") });
        }}
      >
        {join.error !== null && <Problem error={join.error} />}
        {isKnown ? (
          <>
            <TextField
              label={t.invite.yourPassword}
              name="password"
              type="password"
              required
              maxLength={128}
              autoComplete="current-password"
            />
            <TextField
              label={t.invite.code}
              hint={t.invite.codeHint}
              optional={common.optional}
              name="code"
              maxLength={20}
              autoComplete="one-time-code"
              mono
            />
          </>
        ) : (
          <>
            <TextField
              label={t.invite.name}
              error={problems.name}
              name="name"
              required
              maxLength={80}
              autoComplete="name"
            />
            <TextField
              label={t.password}
              hint={t.passwordHint}
              error={problems.password}
              name="password"
              type="password"
              required
              minLength={8}
              maxLength={128}
              autoComplete="new-password"
            />
          </>
        )}
        <Button type="submit" variant="primary" busy={join.isPending}>
          {isKnown ? t.invite.actionKnown : t.invite.actionNew}
        </Button>
      </form>
    </Front>
  );
}
