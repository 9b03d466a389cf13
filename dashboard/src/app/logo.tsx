export function Logo() {
  return (
    <span className="flex items-center gap-2 text-[1.0667rem] font-semibold tracking-tight">
      <svg viewBox="0 0 32 32" className="size-6" aria-hidden="true">
        <rect width="32" height="32" rx="7" className="fill-accent" />
        <path className="fill-on-accent" d="M6 26V11h3V8h3v3h2V6h4v5h2V8h3v3h3v15h-7v-6a3 3 0 0 0-6 0v6z" />
      </svg>
      Ksar
    </span>
  );
}
