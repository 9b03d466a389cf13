import { OperatorError } from "../kernel/errors.ts";

/** Ksar can't be started like this. */
export class StartError extends OperatorError {
  override readonly name = "StartError";
}
