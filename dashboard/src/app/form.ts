/** A form's fields by their names, read when it is sent. */
import type { FormEvent } from "react";

export function fieldsOf(event: FormEvent<HTMLFormElement>): (name: string) => string {
  event.preventDefault();
  const data = new FormData(event.currentTarget);
  return (name) => String(data.get(name) ?? "");
}
