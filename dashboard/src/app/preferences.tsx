/** Language and appearance: on this machine, also before anybody is signed in. */
import { Languages, Monitor, Moon, Sun } from "lucide-react";
import { useState } from "react";
import { localeNames, useLocale, useMessages } from "../i18n/locale.tsx";
import { locales } from "../i18n/messages.ts";
import { Button } from "../ui/button.tsx";
import { Menu } from "../ui/menu.tsx";
import { commonMessages } from "./common.messages.ts";
import { applyTheme, currentTheme, themes } from "./theme.ts";

const icons = { system: Monitor, light: Sun, dark: Moon } as const;

export function Preferences() {
  const t = useMessages(commonMessages);
  const { locale, choose } = useLocale();
  const [theme, setTheme] = useState(currentTheme);
  const Icon = icons[theme];
  return (
    <div className="flex">
      <Menu
        label={t.language}
        trigger={
          <Button
            variant="ghost"
            size="icon"
            title={t.language}
            icon={<Languages className="size-4.5" aria-hidden />}
          />
        }
        groups={[
          locales.map((one) => ({ label: localeNames[one], checked: one === locale, onSelect: () => choose(one) })),
        ]}
      />
      <Menu
        label={t.theme.label}
        trigger={
          <Button variant="ghost" size="icon" title={t.theme.label} icon={<Icon className="size-4.5" aria-hidden />} />
        }
        groups={[
          themes.map((one) => ({
            label: t.theme[one],
            checked: one === theme,
            onSelect: () => {
              applyTheme(one);
              setTheme(one);
            },
          })),
        ]}
      />
    </div>
  );
}
