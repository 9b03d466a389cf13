/** The second factor: set up by scanning, proved by a code, with recovery codes shown once. */
import { useState } from "react";
import type { SecondFactor as Setup } from "../../../../sdk/session.ts";
import { sessions } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { fieldsOf } from "../../app/form.ts";
import { useChange } from "../../app/mutation.ts";
import { Problem } from "../../app/problem.tsx";
import { sessionChanged } from "../../app/session.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Section } from "../../ui/card.tsx";
import { Copyable, CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { QrCode } from "../../ui/qr-code.tsx";
import { profileMessages } from "./profile.messages.ts";

type Wish = "enable" | "disable" | "codes";

export function SecondFactor({ isOn }: { readonly isOn: boolean }) {
  const t = useMessages(profileMessages);
  const [wish, setWish] = useState<Wish | null>(null);
  return (
    <Section title={t.second} hint={t.secondHint}>
      <Card className="flex flex-wrap items-center justify-between gap-3 p-4 sm:p-5">
        <Badge tone={isOn ? "good" : "quiet"} label={isOn ? t.on : t.off} />
        <div className="flex flex-wrap gap-2">
          {isOn ? (
            <>
              <Button onClick={() => setWish("codes")}>{t.newCodes}</Button>
              <Button variant="danger" onClick={() => setWish("disable")}>
                {t.disable}
              </Button>
            </>
          ) : (
            <Button variant="primary" onClick={() => setWish("enable")}>
              {t.enable}
            </Button>
          )}
        </div>
      </Card>
      {wish !== null && <Steps wish={wish} onClose={() => setWish(null)} />}
    </Section>
  );
}

/** The password first, whatever is wanted; then what it takes. */
function Steps({ wish, onClose }: { readonly wish: Wish; readonly onClose: () => void }) {
  const t = useMessages(profileMessages);
  const common = useMessages(commonMessages);
  const [setup, setSetup] = useState<Setup | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const ask = useChange({
    run: async (password: string) => {
      if (wish === "enable") setSetup(await sessions.enableSecondFactor(password));
      else if (wish === "codes") setCodes((await sessions.newRecoveryCodes(password)).backupCodes);
      else await sessions.disableSecondFactor(password);
    },
    touches: [],
    ...(wish === "disable" ? { done: t.disabled } : {}),
    after: async () => {
      if (wish !== "disable") return;
      onClose();
      await sessionChanged();
    },
    showsError: true,
  });
  const verify = useChange({
    run: (code: string) => sessions.verifyCode(code),
    touches: [],
    done: t.enabled,
    after: () => setCodes(setup?.backupCodes ?? []),
    showsError: true,
  });
  const finish = () => {
    onClose();
    void sessionChanged();
  };
  const title = wish === "enable" ? t.enable : wish === "disable" ? t.disable : t.newCodes;
  if (codes !== null)
    return (
      <Dialog open onClose={finish} title={t.codesTitle} closeLabel={common.close}>
        <div className="grid gap-4">
          <p>{t.codesHint}</p>
          <ul className="code grid grid-cols-2 gap-x-6 gap-y-1 rounded-md bg-sunken p-4">
            {codes.map((code) => (
              <li key={code}>{code}</li>
            ))}
          </ul>
          <div className="flex justify-end gap-2">
            <CopyButton visible text={codes.join("\n")} label={common.copy} doneLabel={common.copied} />
            <Button size="small" variant="primary" onClick={finish}>
              {t.kept}
            </Button>
          </div>
        </div>
      </Dialog>
    );
  if (setup !== null)
    return (
      <Dialog open onClose={onClose} title={title} closeLabel={common.close}>
        <form className="grid gap-4" onSubmit={(event) => verify.mutate(fieldsOf(event)("code").trim())}>
          <p>{t.scan}</p>
          <div className="justify-self-center">
            <QrCode text={setup.totpURI} label={t.qr} />
          </div>
          <div className="grid gap-1">
            <p className="text-soft">{t.byHand}</p>
            <Copyable
              text={new URL(setup.totpURI).searchParams.get("secret") ?? ""}
              label={common.copy}
              doneLabel={common.copied}
            />
          </div>
          {verify.error !== null && <Problem error={verify.error} />}
          <TextField
            label={t.code}
            name="code"
            required
            inputMode="numeric"
            pattern="\s*[0-9]{6}\s*"
            maxLength={8}
            autoComplete="one-time-code"
            mono
          />
          <Button type="submit" variant="primary" className="justify-self-end" busy={verify.isPending}>
            {t.turnOn}
          </Button>
        </form>
      </Dialog>
    );
  return (
    <Dialog open onClose={onClose} title={title} closeLabel={common.close}>
      <form className="grid gap-4" onSubmit={(event) => ask.mutate(fieldsOf(event)("password"))}>
        {ask.error !== null && <Problem error={ask.error} />}
        <TextField
          label={t.askPassword}
          name="password"
          type="password"
          required
          maxLength={128}
          autoComplete="current-password"
        />
        <Button
          type="submit"
          variant={wish === "disable" ? "danger" : "primary"}
          className="justify-self-end"
          busy={ask.isPending}
        >
          {t.goOn}
        </Button>
      </form>
    </Dialog>
  );
}
