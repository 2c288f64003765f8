import type { ChaosEngine, ChaosSchedule } from '../../api/index.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const YEAR_HOURS = 8_760;

/** A schedule that repeats an engine; undefined for an interval that a schedule cannot have. Pure. */
export function scheduleOf({ metadata, spec }: ChaosEngine, everyMs: number): ChaosSchedule | undefined {
  const [hours, minutes] = [everyMs / HOUR_MS, everyMs / MINUTE_MS];
  if (!Number.isInteger(minutes) || minutes < 1 || hours > YEAR_HOURS) return undefined;
  const minChaosInterval = Number.isInteger(hours)
    ? { hour: { everyNthHour: hours } }
    : { minute: { everyNthMinute: minutes } };
  const { name, namespace } = metadata;
  return {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosSchedule',
    metadata: { name: `${name}-schedule`, ...(namespace !== undefined && { namespace }) },
    spec: {
      schedule: { repeat: { properties: { minChaosInterval } } },
      concurrencyPolicy: 'Forbid',
      engineTemplateSpec: spec,
    },
  };
}
