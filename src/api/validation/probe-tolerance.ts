import { type FieldError, invalid, notSupported } from '@turnsole/kube/schema/field-error';
import type { PathSegment } from '@turnsole/kube/schema/path';
import { DurationError, parseDuration } from '@turnsole/kube/text/duration';
import type { Probe } from '../schema/probe.ts';
import { isLasting } from '../schema/vocabulary.ts';

/** Limits of a probe's `tolerance`, in the units of its summary. */
export interface CompiledTolerance {
  /** From 0 to 1; 0 where neither `failed` nor `outage` is given. */
  readonly failedShare: number | undefined;
  readonly outageMs: number | undefined;
  readonly latenciesMs: Readonly<Partial<Record<LatencyLimit, number>>>;
}

const LATENCIES = ['p50', 'p95', 'p99', 'max'] as const;
type LatencyLimit = (typeof LATENCIES)[number];
const LIMITS = ['failed', 'outage', ...LATENCIES] as const;

/** The limits of a tolerance that has passed {@link validateTolerance}; undefined without one. Pure. */
export function compileTolerance(tolerance: Probe['tolerance']): CompiledTolerance | undefined {
  if (tolerance === undefined || tolerance === null) return undefined;
  const { failed, outage } = tolerance;
  const latencies = LATENCIES.flatMap((name) => {
    const text = tolerance[name];
    return text === undefined ? [] : [[name, parseDuration(text)] as const];
  });
  return {
    // Who limits latencies alone has not said that anything may fail.
    failedShare: failed !== undefined ? parseShare(failed) : outage === undefined ? 0 : undefined,
    outageMs: outage === undefined ? undefined : parseDuration(outage),
    latenciesMs: Object.fromEntries(latencies),
  };
}

/** Problems of the tolerance of a probe; paths begin at the probe. */
export function validateTolerance({ tolerance, mode, runProperties, ...probe }: Probe): FieldError[] {
  const path = ['tolerance'];
  if (tolerance === undefined || tolerance === null) return [];
  if (typeof tolerance !== 'object') return [invalid(path, tolerance, 'must have limits such as failed: 1%')];
  // Only what measures again and again has something to tolerate.
  if (!isLasting(mode)) {
    return [invalid(path, mode, 'is for the modes Continuous and OnChaos, which measure again and again')];
  }
  const operation = probe['k8sProbe/inputs']?.operation ?? '';
  if (['create', 'delete'].includes(operation)) {
    return [invalid(path, operation, 'is not for operations create and delete, which are done once')];
  }
  const names = Object.keys(tolerance);
  const errors = names
    .filter((name) => !LIMITS.some((known) => known === name))
    .map((name) => notSupported([...path, name], name, LIMITS));
  if (names.length === 0) errors.push(invalid(path, '', `give at least one of ${LIMITS.join(', ')}`));
  if (runProperties?.stopOnFailure === true) {
    const problem =
      'stopOnFailure ends the run with the first failure, so that nothing is tolerated; leave one of them out';
    errors.push(invalid(path, 'stopOnFailure', problem));
  }
  const { failed } = tolerance;
  if (failed !== undefined && parseShare(failed) === undefined) {
    errors.push(
      invalid(
        [...path, 'failed'],
        failed,
        'must be a share of the measurements from 0% to below 100%, such as 1% or 0.5%',
      ),
    );
  }
  for (const name of ['outage', ...LATENCIES] as const)
    errors.push(...validateLimit(tolerance[name], [...path, name]));
  if (errors.length > 0) return errors;
  // A load has a request under way all the time, or so often.
  const rate = probe['loadProbe/inputs']?.rate;
  return probe.type === 'loadProbe'
    ? validateOutageOfLoad(tolerance.outage, rate)
    : validateOutage(tolerance.outage, runProperties);
}

function validateLimit(text: string | undefined, path: readonly PathSegment[]): FieldError[] {
  if (text === undefined) return [];
  try {
    return parseDuration(String(text)) > 0
      ? []
      : [invalid(path, text, 'must be a duration of more than 0, such as 300ms')];
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    return [invalid(path, text, error.expectation)];
  }
}

/** An outage that is shorter than the pause between two measurements cannot be seen. */
function validateOutage(
  outage: string | undefined,
  properties: Probe['runProperties'] | undefined,
): FieldError[] {
  if (outage === undefined) return [];
  const polling = properties?.probePollingInterval || properties?.interval || '';
  const limitMs = parseDuration(outage);
  let pollingMs: number;
  try {
    pollingMs = parseDuration(polling) || DEFAULT_POLLING_MS;
  } catch {
    // It is reported where it stands.
    return [];
  }
  if (pollingMs < limitMs) return [];
  const problem = `cannot be seen with ${pollingMs / 1000} s between two measurements; set runProperties.probePollingInterval lower, a tenth of it`;
  return [invalid(['tolerance', 'outage'], outage, problem)];
}

/** Of a rate that is none, nothing more is said. */
function validateOutageOfLoad(outage: string | undefined, rate: number | undefined): FieldError[] {
  if (outage === undefined || rate === undefined || 1000 / rate < parseDuration(outage)) return [];
  const problem = `cannot be seen with ${rate} requests per second; set loadProbe/inputs.rate higher`;
  return [invalid(['tolerance', 'outage'], outage, problem)];
}

/**
 * Pause between the runs of a background probe that names neither probePollingInterval nor interval: often enough to see
 * an outage of seconds, seldom enough not to be a load test. Upstream spins without any pause there.
 */
export const DEFAULT_POLLING_MS = 1000;

/** `1%`, `0.5 %` as a share from 0 to 1; undefined for anything else. */
function parseShare(text: string): number | undefined {
  const [, digits] = /^(\d+(?:\.\d+)?) ?%$/.exec(String(text).trim()) ?? [];
  const share = digits === undefined ? Number.NaN : Number(digits) / 100;
  return share >= 0 && share < 1 ? share : undefined;
}
