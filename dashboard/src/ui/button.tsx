import { LoaderCircle } from "lucide-react";
import type { ButtonHTMLAttributes, ReactNode } from "react";

type Variant = "primary" | "secondary" | "ghost" | "danger";

const base =
  "inline-flex items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap select-none transition-colors disabled:opacity-50 aria-disabled:opacity-50 aria-disabled:cursor-not-allowed disabled:cursor-not-allowed";
const variants: Readonly<Record<Variant, string>> = {
  primary: "bg-accent text-on-accent hover:bg-accent-hover",
  secondary: "bg-surface text-ink border border-line hover:bg-hover",
  ghost: "text-soft hover:text-ink hover:bg-hover",
  danger: "bg-surface text-bad border border-line hover:bg-bad-tint",
};
const sizes = { small: "h-8 px-2.5 text-[.9333rem]", normal: "h-9 px-3.5", icon: "size-9 shrink-0" } as const;

/** For what looks like a button and is a link. */
export function buttonClass(variant: Variant = "secondary", size: keyof typeof sizes = "normal"): string {
  return `${base} ${variants[variant]} ${sizes[size]}`;
}

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly variant?: Variant;
  readonly size?: keyof typeof sizes;
  /** Waits for something: it can't be pressed, and shows so. */
  readonly busy?: boolean;
  /** Why it can't be pressed, told on hover and to screen readers; it stays reachable by keyboard. */
  readonly refused?: string | null;
  readonly icon?: ReactNode;
}

export function Button({
  variant = "secondary",
  size = "normal",
  busy = false,
  refused = null,
  icon,
  children,
  className = "",
  onClick,
  type = "button",
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={refused !== null ? "button" : type}
      className={`${buttonClass(variant, size)} ${className}`}
      disabled={busy || rest.disabled === true}
      aria-busy={busy || undefined}
      aria-disabled={refused !== null || undefined}
      title={refused ?? rest.title}
      onClick={refused === null ? onClick : undefined}
    >
      {busy ? <LoaderCircle className="size-4 animate-spin" aria-hidden /> : icon}
      {children}
      {refused !== null && <span className="sr-only"> ({refused})</span>}
    </button>
  );
}
