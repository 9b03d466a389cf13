import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { sessions } from "../../api/client.ts";
import { fieldsOf } from "../../app/form.ts";
import { Problem } from "../../app/problem.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { frontMessages } from "./front.messages.ts";
import { Front } from "./front.tsx";

export function Page() {
  const t = useMessages(frontMessages);
  const ask = useMutation({ mutationFn: (email: string) => sessions.requestReset(email) });
  const back = (
    <Link to={paths.signIn()} className={buttonClass("ghost")}>
      {t.forgot.back}
    </Link>
  );
  if (ask.isSuccess)
    return (
      <Front title={t.forgot.sentTitle} hint={t.forgot.sent(ask.variables)}>
        {back}
      </Front>
    );
  return (
    <Front title={t.forgot.title} hint={t.forgot.hint}>
      <form className="grid gap-4" onSubmit={(event) => ask.mutate(fieldsOf(event)("email"))}>
        {ask.error !== null && <Problem error={ask.error} />}
        <TextField label={t.email} name="email" type="email" required maxLength={320} autoComplete="username" />
        <Button type="submit" variant="primary" busy={ask.isPending}>
          {t.forgot.action}
        </Button>
        {back}
      </form>
    </Front>
  );
}
