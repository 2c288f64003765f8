import { type Clock, type Random, systemClock } from '@turnsole/kube/base/clock';
import type { LogFields } from '@turnsole/kube/base/log';
import type { Environment } from '@turnsole/kube/text/environment';
import { isTracing } from '../../tracing/otel-variables.ts';
import type { TraceSender } from './trace-sender.ts';

/** What sends traces uses of its process. */
interface TracesOptions {
  readonly clock?: Clock;
  readonly random?: Random;
  /** Logs for people: a constant sentence, and what varies as `detail`. */
  readonly warn: (fields: LogFields, sentence: string) => void;
}

/**
 * The sender of a process whose environment names a collector; undefined for all others, which load nothing. Settings that cannot be
 * honoured are logged, each by its name, and then nothing is sent: chaos and its reverts go on as without.
 */
export async function startTraces(
  env: Environment,
  { clock = systemClock, random = Math.random, warn }: TracesOptions,
): Promise<TraceSender | undefined> {
  if (!isTracing(env)) return undefined;
  const [{ TraceSender }, { readTraceSettings }] = await Promise.all([
    import('./trace-sender.ts'),
    import('./settings.ts'),
  ]);
  const wish = readTraceSettings(env);
  if (wish.kind === 'refused')
    warn({ detail: wish.problems.join('; ') }, 'no traces are sent: settings cannot be honoured');
  return wish.kind === 'on' ? new TraceSender(wish.settings, { clock, random, warn }) : undefined;
}
