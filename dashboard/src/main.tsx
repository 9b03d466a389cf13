import "./styles.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { Direction } from "radix-ui";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queries } from "./api/client.ts";
import { followTheme } from "./app/theme.ts";
import { LocaleProvider, useLocale } from "./i18n/locale.tsx";
import { router } from "./router.tsx";
import { ToastProvider } from "./ui/toasts.tsx";

function App() {
  const { locale } = useLocale();
  return (
    <Direction.Provider dir={locale === "ar" ? "rtl" : "ltr"}>
      <ToastProvider>
        <RouterProvider router={router} />
      </ToastProvider>
    </Direction.Provider>
  );
}

followTheme();
const place = document.getElementById("root");
if (place === null) throw new Error("index.html has no #root");
createRoot(place).render(
  <StrictMode>
    <LocaleProvider>
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </LocaleProvider>
  </StrictMode>,
);
