/** A change through the API: what it touched is read again, and a word says that it is done, or why not. */
import { useMutation } from "@tanstack/react-query";
import { queries } from "../api/client.ts";
import { useToast } from "../ui/toasts.tsx";
import { useProblemText } from "./problem.tsx";

export interface ChangeOptions<Input, Output> {
  readonly run: (input: Input) => Promise<Output>;
  /** The first words of the queries that show what was changed. */
  readonly touches: readonly string[];
  readonly done?: string;
  readonly after?: (output: Output, input: Input) => unknown;
  /** The caller shows `error` where the person is looking; otherwise it is told in passing. */
  readonly showsError?: boolean;
}

export function useChange<Input = void, Output = unknown>(options: ChangeOptions<Input, Output>) {
  const { run, touches, done, after, showsError = false } = options;
  const toast = useToast();
  const textOf = useProblemText();
  return useMutation<Output, Error, Input>({
    mutationFn: run,
    onSuccess: async (output, input) => {
      if (done !== undefined) toast(done);
      await Promise.all(touches.map((name) => queries.invalidateQueries({ queryKey: [name] })));
      await after?.(output, input);
    },
    onError: (error) => {
      if (!showsError) toast(textOf(error), "bad");
    },
  });
}
