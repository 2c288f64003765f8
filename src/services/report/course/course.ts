import { findCondition } from '@turnsole/kube/kinds/conditions';
import { withoutUndefined } from '@turnsole/kube/text/without-undefined';
import { CONDITION_RUNNABLE } from '../../../api/condition-types.ts';
import { experimentIsOver } from '../../../api/engine-status.ts';
import {
  CHAOS_ENDED,
  CHAOS_STARTED,
  type ChaosEngine,
  EXPERIMENT_STARTED,
  type ProbeStatus,
  type TimelineEntry,
  VERDICT_STEP,
} from '../../../api/index.ts';
import type { WorkloadReadiness } from '../../../api/schema/result.ts';
import { ENGINE_REASONS } from '../../../chaos/errors/engine-reasons.ts';
import { injectionsOf, type RunRecord } from '../run-record.ts';
import { mergeTimeline } from '../timeline.ts';
import { hitGroups } from './hits.ts';
import type { CourseProblem, ExperimentCourse, ProbeCourse, RunCourse, WorkloadCourse } from './model.ts';

/** The course of a run with one engine, or of several runs of a workflow, by their objects. Pure. */
export function courseOf(...records: readonly RunRecord[]): RunCourse {
  const problem = records.map(({ engine }) => problemOf(engine)).find((one) => one !== undefined);
  return {
    aim: [...new Set(records.map(({ engine }) => aimOf(engine)).filter((aim) => aim !== ''))].join(' and '),
    experiments: records.flatMap(experimentsOf).toSorted((a, b) => a.startMs - b.startMs),
    isStopping: records.some(({ engine }) => engine?.spec?.engineState === 'stop'),
    ...(problem !== undefined && { problem }),
  };
}

/** What an engine aims at, as short as people would call it: the value of a label `app`, else the label, else a name. */
function aimOf(engine: ChaosEngine | undefined): string {
  const { appinfo, selectors } = engine?.spec ?? {};
  const names = [
    ...(selectors?.workloads ?? []).map(({ names: own, labels }) => own || labelWords(labels)),
    ...(selectors?.pods ?? []).map(({ names: own }) => own),
    ...(selectors === undefined || selectors === null ? [labelWords(appinfo?.applabel)] : []),
  ];
  return names.filter((name) => typeof name === 'string' && name !== '').join(' and ');
}

function labelWords(label: unknown): string {
  const text = typeof label === 'string' ? label : '';
  return /^(?:app|app\.kubernetes\.io\/name|name)=([\w.-]+)$/.exec(text)?.[1] ?? text;
}

/** What the operator has found against the run of an engine, else what its runner has found against an experiment's pod. */
function problemOf(engine: ChaosEngine | undefined): CourseProblem | undefined {
  const condition = findCondition(engine?.status?.conditions, CONDITION_RUNNABLE);
  if (condition?.status !== 'False') return podProblem(engine);
  const { reason = '', message = 'the engine cannot run' } = condition;
  const todo = Object.hasOwn(ENGINE_REASONS, reason)
    ? ENGINE_REASONS[reason as keyof typeof ENGINE_REASONS].todo
    : undefined;
  return { reason, message, ...(todo !== undefined && { todo }) };
}

/** Until an experiment is over its entry has a reason only while its pod does not start. */
function podProblem(engine: ChaosEngine | undefined): CourseProblem | undefined {
  const entry = (engine?.status?.experiments ?? []).find(
    ({ status, reason }) => typeof reason === 'string' && !experimentIsOver(status),
  );
  if (entry?.reason === undefined) return undefined;
  return { reason: 'ExperimentPodNotStarting', message: entry.reason };
}

function experimentsOf({ results, runId }: RunRecord): ExperimentCourse[] {
  return results.flatMap((result) => {
    const fault = result.spec?.experiment ?? result.metadata.name;
    const all = mergeTimeline(undefined, [result], runId).filter(
      ({ actor }) => actor === `experiment/${fault}`,
    );
    // Of iterations the last one counts: the result has no other.
    const steps = all.slice(
      Math.max(
        0,
        all.findLastIndex(({ step }) => step === EXPERIMENT_STARTED),
      ),
    );
    // A result is used again by the next run, and has nothing of it before that begins.
    const startMs = momentOf(steps, EXPERIMENT_STARTED);
    if (startMs === undefined) return [];
    const chaosMs = momentOf(steps, CHAOS_STARTED);
    const { timing } = result.status ?? {};
    return [
      {
        fault,
        startMs,
        ...withoutUndefined({
          healthyMs: chaosMs === undefined ? momentOf(steps, 'HealthChecked') : undefined,
          chaosMs,
          chaosEndMs: momentOf(steps, CHAOS_ENDED),
          abortedMs: momentOf(steps, 'Aborted'),
          endMs: momentOf(steps, VERDICT_STEP),
          chaosSeconds: numberOf(timing?.chaosSeconds),
          intervalSeconds: numberOf(timing?.intervalSeconds),
          healthSeconds: numberOf(timing?.healthSeconds),
        }),
        hits: hitGroups(injectionsOf({ results: [result], runId })),
        workloads: (result.status?.workloads ?? []).map(workloadCourse),
        probes: (result.status?.probeStatuses ?? []).map(probeCourse),
      },
    ];
  });
}

/** When a step was last taken. */
function momentOf(steps: readonly TimelineEntry[], step: string): number | undefined {
  const found = steps.findLast((entry) => entry.step === step);
  return timeOf(found?.time);
}

/** The ready pods of a workload, as its result has them. Pure. */
export function workloadCourse(workload: WorkloadReadiness): WorkloadCourse {
  const { kind, namespace, name, readyBefore, ready = [] } = workload;
  return {
    ...{ kind, namespace, name, before: readyBefore },
    ready: ready.flatMap(({ time, pods }) => {
      const atMs = timeOf(time);
      return atMs === undefined ? [] : [{ atMs, pods }];
    }),
  };
}

/** A probe, as its result has it. Pure. */
export function probeCourse({
  name,
  type,
  mode,
  status,
  subject,
  summary,
  measured,
}: Pick<ProbeStatus, 'status' | 'subject' | 'summary' | 'measured'> &
  Pick<ProbeCourse, 'name' | 'type' | 'mode'>): ProbeCourse {
  const last = measured?.unit === 'ms' ? measured.points.at(-1)?.value : undefined;
  const slowest = [summary?.during.maxMs, summary?.after.maxMs].filter((ms) => ms !== undefined);
  return {
    ...{ name, type, mode, verdict: status.verdict },
    ...withoutUndefined({
      subject,
      measurements: summary?.measurements,
      failed: summary?.failed,
      failingMs: timeOf(summary?.failingSince?.time),
      lastMs: numberOf(last),
      slowestMs: slowest.length === 0 ? undefined : Math.max(...slowest),
    }),
  };
}

function timeOf(text: string | undefined): number | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** Statuses hold whatever their writers put there. */
function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
