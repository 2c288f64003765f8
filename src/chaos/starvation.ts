/** Whether failures of a run may come from a machine that was busy before the fault, and not from the fault. */
import type { Pressure, ProbeStatus } from '../api/schema/result.ts';
import { describeOverload } from './overload.ts';

/** A failure that also an application without a processor causes. */
const NO_ANSWER = /^no answer in /;
/** A fault that an application does not withstand fails more than that; what waits for a processor is served now and then. */
const MOST_STARVED_SHARE = 0.5;

/**
 * `probe 'users' failed for want of an answer in time alone (3 of 200: no answer in 1 s), …`: why failed probes say nothing of the fault;
 * undefined where one of them does. That is so where the machine was overloaded before the fault already, each failure is an answer that
 * did not come in time, and fewer than half of the measurements during the fault and after it failed. A machine that the fault itself
 * overloads was not overloaded before. Pure.
 *
 * @param before what the machine of the experiment was like right before the fault; undefined where that is not known
 */
export function describeStarvation(
  probes: readonly ProbeStatus[],
  before: Pressure | undefined,
): string | undefined {
  const overload = before?.load === undefined ? undefined : describeOverload([before]);
  const failed = probes.filter(({ status }) => status.verdict === 'Failed');
  const starved = failed.flatMap((probe) => starvedWords(probe) ?? []);
  if (overload === undefined || failed.length === 0 || starved.length < failed.length) return undefined;
  return (
    `${starved.join(', ')} failed for want of an answer in time alone, and before the fault ${overload}: whether the application was too slow ` +
    'because of the fault or because it got no processor is not known; run on a machine that is less busy, or raise probeTimeout'
  );
}

/** `probe 'users' (3 of 200: no answer in 1 s)`; undefined where its failures have another reason, or are too many. */
function starvedWords({ name, summary }: ProbeStatus): string | undefined {
  if (summary === undefined) return undefined;
  const parts = [summary.during, summary.after];
  const kinds = parts.flatMap(({ failures = [] }) => failures.map(({ kind }) => kind));
  const failed = parts.reduce((sum, part) => sum + part.failed, 0);
  const measurements = parts.reduce((sum, part) => sum + part.measurements, 0);
  if (failed === 0 || failed >= measurements * MOST_STARVED_SHARE) return undefined;
  if (!kinds.every((kind) => NO_ANSWER.test(kind))) return undefined;
  return `probe '${name}' (${failed} of ${measurements}: ${[...new Set(kinds)].join(', ')})`;
}
