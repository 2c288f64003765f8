import type { KubeClient } from '@turnsole/kube/client/types';

/** Identifies the pod. */
interface PodName {
  readonly namespace: string;
  readonly pod: string;
  readonly container?: string | null | undefined;
}

/** Lines per piece: an existing long log is sent in pieces, a growing one line by line. */
const PIECE_LINES = 500;
/** Last lines of an existing log. */
const TAIL_LINES = 10_000;

/** The existing and future lines of a pod's log in pieces, until the pod ends or the signal aborts. */
export async function* followPodLog(
  client: KubeClient,
  { namespace, pod, container }: PodName,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const lines = client.logLines(pod, {
    namespace,
    follow: true,
    tailLines: TAIL_LINES,
    signal,
    ...(typeof container === 'string' && { container }),
  });
  let piece: string[] = [];
  let pending: Promise<IteratorResult<string>> | undefined;
  const iterator = lines[Symbol.asyncIterator]();
  try {
    for (;;) {
      pending ??= iterator.next();
      // Sends the lines received so far together, without waiting for further ones.
      const next = await Promise.race([pending, ...(piece.length > 0 ? [nextTurn()] : [])]);
      if (next === undefined || piece.length >= PIECE_LINES) {
        yield piece;
        piece = [];
      }
      if (next === undefined) continue;
      pending = undefined;
      if (next.done === true) break;
      piece.push(next.value);
    }
    if (piece.length > 0) yield piece;
  } finally {
    await iterator.return?.();
  }
}

function nextTurn(): Promise<undefined> {
  return new Promise((resolve) => setImmediate(() => resolve(undefined)));
}
