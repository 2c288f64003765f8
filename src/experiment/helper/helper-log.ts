import { parseObject } from '@turnsole/kube/text/json';
import type { Peak } from '../../api/schema/result.ts';
import type { SeenPressure } from '../../process/pace/pressure-watch.ts';
import type { TimelineNote } from '../injection/result/timeline-log.ts';

/**
 * Lines a helper writes on standard output for its experiment: JSON with `step` and `message`. They are a bell and become lines
 * of the timeline; what was done is in the ledger.
 */
export function formatHelperLine({ step, object, message }: TimelineNote, time: string): string {
  return JSON.stringify({ time, step, object, message });
}

/** Rings for the experiment that this helper's fault ends: what probes measure from then on is no chaos. Not in the timeline. */
export function formatOverBell(time: string): string {
  return JSON.stringify({ time, bell: OVER });
}

const OVER = 'over';

/** When the fault of a helper ended, in milliseconds since 1970 by the clock of its node; undefined for all other lines. */
export function parseOverBell(line: string): number | undefined {
  const { time, bell } = parseObject(line) ?? {};
  if (bell !== OVER || typeof time !== 'string') return undefined;
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Tells the experiment how busy this helper and its machine were, at its end. Not in the timeline. */
export function formatPressureBell(pressure: SeenPressure): string {
  return JSON.stringify({ bell: PRESSURE, pressure });
}

const PRESSURE = 'pressure';

/** What such a line tells; undefined for all other lines. */
export function parsePressureBell(line: string): SeenPressure | undefined {
  const { bell, pressure } = parseObject(line) ?? {};
  if (bell !== PRESSURE || typeof pressure !== 'object' || pressure === null) return undefined;
  const { cores, eventLoopLateMs, load, cpuWaitPercent } = pressure as Partial<SeenPressure>;
  if (!Number.isSafeInteger(cores) || !isPeak(eventLoopLateMs)) return undefined;
  return {
    cores: Number(cores),
    eventLoopLateMs: peakOf(eventLoopLateMs),
    ...(isPeak(load) ? { load: peakOf(load) } : {}),
    ...(isPeak(cpuWaitPercent) ? { cpuWaitPercent: peakOf(cpuWaitPercent) } : {}),
  };
}

function isPeak(value: unknown): value is Peak {
  if (typeof value !== 'object' || value === null) return false;
  const { value: peak, time } = value as Partial<Peak>;
  return Number.isFinite(peak) && typeof time === 'string' && !Number.isNaN(Date.parse(time));
}

function peakOf({ value, time }: Peak): Peak {
  return { value, time };
}

/** The note of a line; undefined for everything else that stands in a log. */
export function parseHelperLine(line: string): (TimelineNote & { readonly time: string }) | undefined {
  const { time, step, object, message } = parseObject(line) ?? {};
  if (typeof time !== 'string' || typeof step !== 'string' || typeof message !== 'string') return undefined;
  return { time, step, message, ...(typeof object === 'string' ? { object } : {}) };
}
