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
import { Copyable } from "../../ui/copy-button.tsx";
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
  const link = useQuery({
    queryKey: ["sign-up", token],
    queryFn: () => sessions.signupLink(token),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const signUp = useMutation({
    mutationFn: (form: { name: string; email: string; password: string }) => sessions.signUp(token, form),
    onSuccess: ({ accountId }) => chooseAccount(accountId),
  });
  if (signUp.isSuccess)
    return (
      <Front title={t.signUp.welcome} hint={t.signUp.keyHint}>
        <div className="grid gap-1">
          <p className="font-medium">{t.signUp.key}</p>
          <Copyable text={signUp.data.apiKey} label={common.copy} doneLabel={common.copied} />
        </div>
        <Button
          variant="primary"
          onClick={() => void sessionChanged().then(() => navigate({ to: paths.newService(), replace: true }))}
        >
          {t.signUp.goOn}
        </Button>
      </Front>
    );
  if (isNotFound(link.error) || isNotFound(signUp.error))
    return (
      <Front title={t.signUp.spentTitle} hint={t.signUp.spent}>
        <Link to={paths.signIn()} className={buttonClass()}>
          {t.signUp.toSignIn}
        </Link>
      </Front>
    );
  const problems = fieldProblems(signUp.error);
  return (
    <Front title={t.signUp.title} hint={t.signUp.hint}>
      {link.isPending ? (
        <Skeleton label={common.loading} />
      ) : (
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            const field = fieldsOf(event);
            signUp.mutate({ name: field("name"), email: field("email"), password: field("password") });
          }}
        >
          {(signUp.error ?? link.error) !== null && <Problem error={signUp.error ?? link.error} />}
          <TextField
            label={t.signUp.name}
            hint={t.signUp.nameHint}
            error={problems.name}
            name="name"
            required
            maxLength={80}
            autoComplete="organization"
          />
          <TextField
            label={t.email}
            error={problems.email}
            name="email"
            type="email"
            required
            maxLength={320}
            autoComplete="username"
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
          <Button type="submit" variant="primary" busy={signUp.isPending}>
            {t.signUp.action}
          </Button>
        </form>
      )}
    </Front>
  );
}
