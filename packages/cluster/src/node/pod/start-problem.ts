import { messageOf } from '@turnsole/kube/text/error-message';
import { FIRST_DELAY_MS, MAX_DELAY_MS } from './crash-backoff.ts';
import { PullError } from './image-resolution.ts';
import { LaunchError } from './launch-error.ts';
import type { StartProblem } from './observed.ts';
import type { PodEvent } from './worker-context.ts';

/** An object that a container refers to may be created at any time; without an event, it is looked for this often. */
const CONFIG_RETRY_MS = 10_000;

/**
 * Makes the problem for the status out of what kept a container from starting. Images are tried again after 10 s, then
 * after twice the time before, up to 5 minutes (kubelet's image back-off).
 */
export function startProblem(
  error: unknown,
  before: StartProblem | undefined,
  atMs: number,
  recordEvent: (event: PodEvent) => void,
): StartProblem {
  const message = messageOf(error);
  if (error instanceof PullError) {
    const earlierMs = before?.kind === 'image' ? before.retryAtMs - before.atMs : 0;
    const delayMs = Math.min(Math.max(earlierMs * 2, FIRST_DELAY_MS), MAX_DELAY_MS);
    return { kind: 'image', reason: error.reason, message, atMs, retryAtMs: atMs + delayMs };
  }
  const reason = error instanceof LaunchError ? error.reason : 'CreateContainerError';
  recordEvent({ type: 'Warning', reason: 'Failed', message: `Error: ${message}` });
  return { kind: 'config', reason, message, atMs, retryAtMs: atMs + CONFIG_RETRY_MS };
}
