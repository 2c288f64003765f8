import { isObject } from '@turnsole/kube/text/json';
import type { ProbeEntry } from './manifest-probe.ts';

/** Fields of `runProperties` with durations. */
const DURATIONS = ['probeTimeout', 'interval', 'probePollingInterval', 'initialDelay', 'evaluationTimeout'];

/** A number without a unit, as in older manifests. */
const BARE = /^-?(\d+\.?\d*|\.\d+)$/;

/**
 * A probe's entry with a unit at every duration: bare numbers become seconds, or milliseconds for the timeout of an httpProbe, as
 * in programs that accepted bare numbers; `initialDelaySeconds` becomes `initialDelay`. Idempotent. Pure.
 */
export function withUnits(entry: ProbeEntry, type: unknown = entry.type): ProbeEntry {
  const { runProperties } = entry;
  if (!isObject(runProperties)) return entry;
  const { initialDelaySeconds, ...others } = runProperties;
  const changed: Record<string, unknown> = { ...others };
  const delays = typeof initialDelaySeconds === 'number' && initialDelaySeconds > 0;
  if (delays && !changed.initialDelay) changed.initialDelay = `${initialDelaySeconds}s`;
  for (const field of DURATIONS) {
    if (field in changed) changed[field] = durationOf(changed[field], unitOf(field, type));
  }
  return { ...entry, runProperties: changed };
}

function unitOf(field: string, type: unknown): string {
  return type === 'httpProbe' && field === 'probeTimeout' ? 'ms' : 's';
}

function durationOf(value: unknown, unit: string): unknown {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && BARE.test(text) ? `${text}${unit}` : text;
}
