import { useQuery } from "@tanstack/react-query";
import { sessions } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { fieldsOf } from "../../app/form.ts";
import { useChange } from "../../app/mutation.ts";
import { Page as Frame } from "../../app/page.tsx";
import { Problem } from "../../app/problem.tsx";
import { useSession } from "../../app/session.ts";
import { Time } from "../../app/time.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Fact, Facts, Rows, Section } from "../../ui/card.tsx";
import { Skeleton } from "../../ui/empty-state.tsx";
import { TextField } from "../../ui/field.tsx";
import { profileMessages } from "./profile.messages.ts";
import { programName } from "./program-name.ts";
import { SecondFactor } from "./second-factor.tsx";

export function Page() {
  const t = useMessages(profileMessages);
  const { data: session } = useSession();
  if (session === undefined || session === null) return null;
  const { name, email, twoFactorEnabled } = session.user;
  return (
    <Frame title={t.title}>
      <Card className="p-4 sm:p-5">
        <Facts>
          <Fact name={t.name}>{name}</Fact>
          <Fact name={t.email}>{email}</Fact>
        </Facts>
      </Card>
      <SecondFactor isOn={twoFactorEnabled === true} />
      <Password />
      <Sessions />
    </Frame>
  );
}

function Password() {
  const t = useMessages(profileMessages);
  const change = useChange({
    run: ({ current, fresh, form }: { current: string; fresh: string; form: HTMLFormElement }) =>
      sessions.changePassword(current, fresh).then(() => form.reset()),
    touches: ["sessions"],
    done: t.changed,
    showsError: true,
  });
  return (
    <Section title={t.password}>
      <Card className="p-4 sm:p-5">
        <form
          className="grid gap-4 sm:grid-cols-2"
          onSubmit={(event) => {
            const form = event.currentTarget;
            const field = fieldsOf(event);
            change.mutate({ current: field("current"), fresh: field("fresh"), form });
          }}
        >
          {change.error !== null && (
            <div className="sm:col-span-2">
              <Problem error={change.error} />
            </div>
          )}
          <TextField
            label={t.current}
            name="current"
            type="password"
            required
            maxLength={128}
            autoComplete="current-password"
          />
          <TextField
            label={t.fresh}
            hint={t.freshHint}
            name="fresh"
            type="password"
            required
            minLength={8}
            maxLength={128}
            autoComplete="new-password"
          />
          <Button type="submit" className="justify-self-end sm:col-span-2" busy={change.isPending}>
            {t.change}
          </Button>
        </form>
      </Card>
    </Section>
  );
}

function Sessions() {
  const t = useMessages(profileMessages);
  const common = useMessages(commonMessages);
  const { data, error } = useQuery({ queryKey: ["sessions"], queryFn: () => sessions.sessions() });
  const end = useChange({ run: () => sessions.revokeOtherSessions(), touches: ["sessions"], done: t.ended });
  return (
    <Section
      title={t.sessions}
      actions={
        (data?.length ?? 0) > 1 && (
          <Button size="small" variant="danger" busy={end.isPending} onClick={() => end.mutate()}>
            {t.endOthers}
          </Button>
        )
      }
    >
      {error !== null && <Problem error={error} />}
      {data === undefined && error === null && <Skeleton label={common.loading} rows={1} />}
      {data !== undefined && (
        <Rows label={t.sessions}>
          {data.map(({ id, userAgent, ipAddress, createdAt }) => (
            <li key={id} className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 px-4 py-3">
              <span className="min-w-52 grow basis-0 truncate" title={userAgent ?? undefined}>
                {programName(userAgent ?? "") ?? userAgent ?? t.somewhere}
              </span>
              <span className="code text-soft">{ipAddress}</span>
              <span className="text-soft">
                {t.began} <Time at={createdAt} />
              </span>
            </li>
          ))}
        </Rows>
      )}
    </Section>
  );
}
