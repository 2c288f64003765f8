import { readFileSync } from 'node:fs';
import { type Clock, systemClock } from '../../base/clock.ts';
import { messageOf } from '../../text/error-message.ts';
import type { ClusterConfig } from '../types.ts';
import { ClusterConfigError } from './errors.ts';

/** Bound tokens are replaced by the kubelet well before they expire; client-go reads them once a minute too. */
const REREAD_MS = 60_000;
const LOOK_MS = 250;

/**
 * A token that is read from a file, and again as it is rotated there.
 *
 * @param file path of the token
 * @param what how messages name it: a kubeconfig's field or the file itself
 * @param patienceMs how long its successor is waited for after the first refusal of it: where a machine has slept, or its clock was set, the
 *   token has expired before it was replaced. Later requests with a token that was waited for in vain wait no more
 * @throws ClusterConfigError at once when the file cannot be read; later the last token is kept as long as it works
 */
export function createTokenFile(
  file: string,
  what: string,
  clock: Clock = systemClock,
  patienceMs = 0,
): Required<Pick<ClusterConfig, 'token' | 'refreshCredentials'>> {
  let token = readToken(file, what);
  let readAt = clock.monotonic();
  /** The token that was refused last, with the first and the last time. */
  let refusal = { token: '', firstMs: 0, lastMs: 0 };
  const reread = (): string => {
    readAt = clock.monotonic();
    try {
      token = readToken(file, what);
    } catch {
      // The mount is being replaced, or gone: the token at hand may still be good, and a 401 will show.
    }
    return token;
  };
  return {
    token: () => (clock.monotonic() - readAt < REREAD_MS ? token : reread()),
    refreshCredentials: async (signal) => {
      const refused = token;
      const nowMs = clock.monotonic();
      const isKnown = refusal.token === refused && nowMs - refusal.lastMs < REREAD_MS;
      refusal = { token: refused, firstMs: isKnown ? refusal.firstMs : nowMs, lastMs: nowMs };
      const giveUpAt = refusal.firstMs + patienceMs;
      while (reread() === refused && clock.monotonic() < giveUpAt) await clock.sleep(LOOK_MS, signal);
      refusal = { ...refusal, lastMs: clock.monotonic() };
    },
  };
}

function readToken(file: string, what: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const detail = messageOf(error);
    throw new ClusterConfigError(
      what,
      undefined,
      `the token cannot be read (${detail}); mount or create the file`,
      {
        cause: error,
      },
    );
  }
  if (text === '') throw new ClusterConfigError(what, undefined, `the token file ${file} is empty`);
  return text;
}
