/** Light, dark, or as the system has it. */
const storageKey = "ksar.theme";
export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

export function currentTheme(): Theme {
  const stored = localStorage.getItem(storageKey);
  return themes.find((theme) => theme === stored) ?? "system";
}

/** Also where it was chosen in another window. */
export function followTheme(): void {
  applyTheme(currentTheme());
  addEventListener("storage", ({ key }) => {
    if (key === storageKey) applyTheme(currentTheme());
  });
}

export function applyTheme(theme: Theme): void {
  if (theme === "system") {
    localStorage.removeItem(storageKey);
    document.documentElement.removeAttribute("data-theme");
    return;
  }
  localStorage.setItem(storageKey, theme);
  document.documentElement.dataset.theme = theme;
}
