/** What a person takes along as a file. Fetched, not linked to: a link could not name the account. */
import { answerOf } from "../../../sdk/client.ts";

export async function saveAs(
  fileName: string,
  call: Promise<{ data?: unknown; error?: unknown; response: Response }>,
): Promise<void> {
  const blob = await answerOf(call);
  if (!(blob instanceof Blob)) throw new Error("the answer was asked for as a blob");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(link.href);
}
