import { isNotFound } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { ObservedCluster } from './observed-cluster.ts';

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

/** The lines of a pod's log in pieces, with their times: existing and future ones until the pod ends or the signal aborts; of a deleted pod those that are kept. */
export async function* followPodLog(
  { client, logs }: Pick<ObservedCluster, 'client' | 'logs'>,
  pod: PodName,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  try {
    yield* followedLines(client, pod, signal);
  } catch (error) {
    const kept = isNotFound(error) ? logs.of(pod.namespace, pod.pod) : undefined;
    if (kept === undefined) throw error;
    const lines = kept.text.replace(/\n$/, '').split('\n');
    for (let from = 0; from < lines.length; from += PIECE_LINES) yield lines.slice(from, from + PIECE_LINES);
  }
}

async function* followedLines(
  client: KubeClient,
  { namespace, pod, container }: PodName,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const lines = client.logLines(pod, {
    namespace,
    follow: true,
    timestamps: true,
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
