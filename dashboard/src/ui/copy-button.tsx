import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "./button.tsx";
import { copyText } from "./copy.ts";

const shownMs = 1600;

export function CopyButton({
  text,
  label,
  doneLabel,
  visible = false,
}: {
  readonly text: string | (() => string);
  readonly label: string;
  readonly doneLabel: string /** Its label is shown, not only said. */;
  readonly visible?: boolean;
}) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), shownMs);
    return () => clearTimeout(timer);
  }, [done]);
  const said = done ? doneLabel : label;
  return (
    <Button
      variant={visible ? "secondary" : "ghost"}
      size={visible ? "small" : "icon"}
      aria-label={said}
      title={said}
      icon={done ? <Check className="size-4" aria-hidden /> : <Copy className="size-4" aria-hidden />}
      onClick={() => void copyText(typeof text === "string" ? text : text()).then(() => setDone(true))}
    >
      {visible && said}
    </Button>
  );
}

/** A secret or an address, to be taken along. */
export function Copyable({
  text,
  label,
  doneLabel,
}: {
  readonly text: string;
  readonly label: string;
  readonly doneLabel: string;
}) {
  return (
    <div className="flex items-center gap-1 rounded-md border border-line bg-sunken ps-3">
      <code className="code grow py-2 wrap-anywhere select-all">{text}</code>
      <CopyButton text={text} label={label} doneLabel={doneLabel} />
    </div>
  );
}
