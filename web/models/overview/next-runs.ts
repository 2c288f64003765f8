import type { ExperimentSchedule } from '../../../src/controlplane/schema/generated/types.ts';
import { nextTimesOfAll } from '../studio/next-times.ts';

/** An experiment that may have a schedule. */
export interface ScheduledExperiment {
  readonly experimentID: string;
  readonly name: string;
  readonly schedule: ExperimentSchedule | null;
  readonly infra: { readonly name: string } | null;
}

/** A future run of a schedule. */
interface NextRun {
  readonly experimentID: string;
  readonly name: string;
  readonly infra: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

/** The next runs of schedules, and the number of inactive schedules. */
interface NextRuns {
  /** The soonest first. */
  readonly runs: readonly NextRun[];
  readonly suspended: number;
  readonly notBegun: number;
  /** Started schedules whose times are not cron expressions. */
  readonly ofOtherForm: number;
}

/** The next runs of all experiments together, at most so many. Pure. */
export function nextRuns(
  experiments: readonly (ScheduledExperiment | null)[],
  nowMs: number,
  count: number,
): NextRuns {
  const scheduled = experiments.flatMap((one) =>
    one === null || one.schedule === null ? [] : [{ ...one, schedule: one.schedule }],
  );
  const begun = scheduled.filter(({ schedule }) => schedule.isBegun && !schedule.isSuspended);
  const runs = begun.flatMap(({ experimentID, name, infra, schedule: { cron, timezone } }) =>
    nextTimesOfAll(cron, timezone, nowMs, count).map((atMs) => ({
      ...{ experimentID, name, infra: infra?.name ?? '', atMs },
    })),
  );
  return {
    runs: runs.toSorted((a, b) => a.atMs - b.atMs).slice(0, count),
    suspended: scheduled.filter(({ schedule }) => schedule.isBegun && schedule.isSuspended).length,
    notBegun: scheduled.filter(({ schedule }) => !schedule.isBegun).length,
    ofOtherForm: begun.filter(({ schedule }) => schedule.cron.length === 0).length,
  };
}

/** Sentences beside the next runs about schedules without any. Pure. */
export function silentWords({ suspended, notBegun, ofOtherForm }: NextRuns): readonly string[] {
  const schedules = (count: number, one: string, many: string): string[] =>
    count === 0 ? [] : [count === 1 ? `One schedule ${one}.` : `${count} schedules ${many}.`];
  return [
    ...schedules(suspended, 'is suspended', 'are suspended'),
    ...schedules(notBegun, 'has not been started', 'have not been started'),
    ...schedules(
      ofOtherForm,
      'is a ChaosSchedule, whose times its operator decides',
      'are ChaosSchedules, whose times their operator decides',
    ),
  ];
}
