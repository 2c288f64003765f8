import type { MergePatch } from '@turnsole/kube/text/merge-patch';
import {
  type ChaosResult,
  type ChaosTarget,
  isOpen,
  LABEL_CHAOS_UID,
  LABEL_RUN_ID,
  type LedgerEntry,
  type ProbeStatus,
} from '../../../api/index.ts';
import type { RecoveryTemplate } from '../../../api/recovery-template.ts';
import type { Coverage, Pressure, WorkloadReadiness } from '../../../api/schema/result.ts';
import { targetAnnotation, withoutTargets } from '../../../chaos/history-targets.ts';
import type { ExperimentSettings } from '../settings/compile-settings.ts';
import type { Judgement } from './verdict.ts';

/** What {@link startPatch} depends on. */
interface StartInput {
  readonly settings: ExperimentSettings;
  readonly existing: ChaosResult | undefined;
  readonly podLabels: Readonly<Record<string, string>>;
  readonly probeStatuses: readonly ProbeStatus[];
  /** For faults that are held: how to start this experiment again if it dies. */
  readonly recovery?: RecoveryTemplate | undefined;
  /** Nothing will be injected. @default false */
  readonly dryRun?: boolean;
  /** Whether the fault comes in rounds, and not once to stay. @default false */
  readonly comesInRounds?: boolean;
}

/**
 * The result at the start of a run: Running, Awaited; counters and the targets of the last run stay. Ledger entries of earlier
 * runs that are closed are forgotten; open ones stay until they are reverted.
 */
export function startPatch(input: StartInput): MergePatch {
  const { settings, existing, podLabels, probeStatuses, recovery } = input;
  const { dryRun = false, comesInRounds = false } = input;
  const { engine, experiment, instanceId } = settings;
  const history = existing?.status?.history;
  return {
    metadata: {
      labels: resultLabels(settings, podLabels),
      annotations: withoutTargets(existing?.metadata.annotations),
    },
    spec: { engine, experiment, ...(instanceId === '' ? {} : { instance: instanceId }) },
    status: {
      experimentStatus: {
        phase: 'Running',
        verdict: 'Awaited',
        probeSuccessPercentage: 'Awaited',
        errorOutput: null,
      },
      probeStatuses: [...probeStatuses],
      history: {
        passedRuns: history?.passedRuns ?? 0,
        failedRuns: history?.failedRuns ?? 0,
        stoppedRuns: history?.stoppedRuns ?? 0,
        targets: history?.targets ?? [],
      },
      ledger: Object.fromEntries(
        Object.values(existing?.status?.ledger ?? {})
          .filter((entry) => !isOpen(entry))
          .map(({ id }) => [id, null]),
      ),
      // That of an earlier run may be revoked.
      lease: null,
      closed: null,
      // A reader of a run's result must not find what an earlier dry run left, and the other way round.
      dryRun: dryRun ? true : null,
      plan: null,
      coverage: null,
      workloads: null,
      pressure: null,
      timing: timingOf(settings, comesInRounds),
      ...(recovery === undefined ? {} : { recovery: replaced(existing?.status?.recovery, recovery) }),
    },
  };
}

/** A merge patch of what the run is to take; nothing of an earlier run's stays. */
function timingOf(settings: ExperimentSettings, comesInRounds: boolean): MergePatch {
  const { durationMs, interval, defaultHealthCheck, statusCheckTimeoutMs } = settings;
  const isKnown = comesInRounds && interval.lowMs === interval.highMs;
  return {
    chaosSeconds: durationMs / 1000,
    intervalSeconds: isKnown ? interval.lowMs / 1000 : null,
    healthSeconds: defaultHealthCheck ? statusCheckTimeoutMs / 1000 : null,
  };
}

/** A merge patch of the template that leaves nothing of an older one. */
function replaced(older: RecoveryTemplate | undefined, recovery: RecoveryTemplate): MergePatch {
  const stale = Object.keys(older?.labels ?? {}).filter((key) => !(key in recovery.labels));
  const labels = { ...Object.fromEntries(stale.map((key) => [key, null])), ...recovery.labels };
  // Objects inside are replaced key by key as well; those of an earlier run of this experiment have the same keys.
  return { ...recovery, labels } as unknown as MergePatch;
}

/** What {@link endPatch} depends on. */
interface EndInput {
  readonly settings: ExperimentSettings;
  readonly existing: ChaosResult | undefined;
  readonly podLabels: Readonly<Record<string, string>>;
  readonly judgement: Judgement;
  readonly targets: readonly ChaosTarget[];
  readonly coverage?: Coverage | undefined;
  readonly workloads?: readonly WorkloadReadiness[];
  readonly pressure?: readonly Pressure[];
  /** Entries of the ledger that the experiment knows more of than those who wrote them. */
  readonly entries?: readonly LedgerEntry[];
}

/**
 * The result at the end of a run: judgement, counters, targets; the target annotations are taken away. It is the experiment's last word,
 * by which the operator knows that nothing of it is in force before the kubelet reports the end of its pod.
 */
export function endPatch(input: EndInput): MergePatch {
  const { settings, existing, podLabels, judgement, targets, coverage } = input;
  const { workloads = [], pressure = [], entries = [] } = input;
  const { phase, verdict, probeSuccessPercentage, errorOutput, counter, probeStatuses } = judgement;
  const { passedRuns = 0, failedRuns = 0, stoppedRuns = 0 } = existing?.status?.history ?? {};
  const counters = { passedRuns, failedRuns, stoppedRuns };
  if (counter !== undefined) counters[counter] += 1;
  return {
    metadata: {
      labels: resultLabels(settings, podLabels),
      annotations: {
        ...withoutTargets(existing?.metadata.annotations),
        // Also those that were written since the object was last seen.
        ...Object.fromEntries(targets.map((target) => [targetAnnotation(target), null])),
      },
    },
    status: {
      experimentStatus: {
        phase,
        verdict,
        probeSuccessPercentage,
        // Left alone when a helper has written its own.
        ...(errorOutput === undefined ? {} : { errorOutput: { ...errorOutput } }),
      },
      probeStatuses: [...probeStatuses],
      history: { ...counters, targets: [...targets] },
      ...(coverage === undefined ? {} : { coverage }),
      ...(workloads.length === 0 ? {} : { workloads: [...workloads] }),
      ...(pressure.length === 0 ? {} : { pressure: [...pressure] }),
      ...(entries.length === 0
        ? {}
        : { ledger: Object.fromEntries(entries.map((entry) => [entry.id, { ...entry }])) }),
      closed: { runId: settings.runId, pod: settings.podName },
    },
  };
}

/** Unlike upstream, an aborted run keeps all labels. */
function resultLabels(
  { engineUid, runId }: ExperimentSettings,
  podLabels: Readonly<Record<string, string>>,
): Record<string, string> {
  return { ...podLabels, [LABEL_CHAOS_UID]: engineUid, [LABEL_RUN_ID]: runId };
}
