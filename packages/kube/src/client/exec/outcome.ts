import { parseObject } from '../../text/json.ts';
import type { Status } from '../errors.ts';

/** How the server says a command ended: with an exit code, or not at all properly. */
export type ExecOutcome = { readonly exitCode: number } | { readonly failure: Status };

/** Reads the Status of the error channel; pure. What is no Status is the text of a failure. */
export function readOutcome(text: string): ExecOutcome {
  // The server's own type; every field is optional.
  const status: Status | undefined = parseObject(text);
  if (status === undefined) return { failure: { message: text } };
  if (status.status === 'Success') return { exitCode: 0 };
  const cause = status.details?.causes?.find(({ reason }) => reason === 'ExitCode');
  const exitCode = Number(cause?.message);
  if (status.reason === 'NonZeroExitCode' && Number.isInteger(exitCode)) return { exitCode };
  return { failure: status };
}
