import { isTracing } from '../../../tracing/otel-variables.ts';
import type { Run } from './run.ts';

/**
 * Sends the trace of an experiment that upstream's operator started, or a user: one of ours sends those of whole runs, from the same
 * result. Takes 5 s at most, and nothing that happens to it changes how the experiment ends.
 */
export async function sendOwnTrace({ env, settings, writer, clock, random, logger }: Run): Promise<void> {
  const isOfOurs = (env.RUN_ID ?? '') !== '';
  const result = writer.current;
  if (isOfOurs || !isTracing(env) || result === undefined) return;
  const [{ startTraces }, { experimentTrace }] = await Promise.all([
    import('../../../process/traces/start-traces.ts'),
    import('../../../chaos/spans/experiment-spans.ts'),
  ]);
  const warn = (fields: object, sentence: string): void => logger.warn({ ...fields }, sentence);
  const sender = await startTraces(env, { clock, random, warn });
  sender?.add(() => Promise.resolve(experimentTrace(result, settings.runId, env.TRACE_PARENT ?? '')));
  await sender?.close();
}
