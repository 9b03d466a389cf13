/** Short words about what was done. They are read out, and go by themselves; what needs a decision is never one. */
import { createContext, type ReactNode, use, useCallback, useState } from "react";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: "good" | "bad";
}

const shownMs = 5000;
const Context = createContext<(text: string, tone?: Toast["tone"]) => void>(() => undefined);

let last = 0;

export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const show = useCallback((text: string, tone: Toast["tone"] = "good") => {
    last += 1;
    const id = last;
    setToasts((shown) => [...shown.slice(-2), { id, text, tone }]);
    setTimeout(() => setToasts((shown) => shown.filter((one) => one.id !== id)), shownMs);
  }, []);
  return (
    <Context value={show}>
      {children}
      <div role="status" className="pointer-events-none fixed inset-x-3 bottom-4 z-60 grid justify-items-center gap-2">
        {toasts.map(({ id, text, tone }) => (
          <p
            key={id}
            className={`appear max-w-lg rounded-lg px-4 py-2.5 shadow-raised ${tone === "bad" ? "bg-bad-tint text-bad" : "bg-ink text-ground"}`}
          >
            {text}
          </p>
        ))}
      </div>
    </Context>
  );
}

export function useToast() {
  return use(Context);
}
