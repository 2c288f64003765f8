import type { Pod } from '@turnsole/kube/kinds/core';
import type { ChaosEngine, EngineExperiment, LedgerEntry } from '../../../api/index.ts';
import { wantsDryRun } from '../../../chaos/run-record.ts';
import type { ErrorPhase } from '../../injection/errors.ts';
import type { EventWriter } from '../../injection/events/event-writer.ts';
import type { ExperimentEvent } from '../../injection/events/messages.ts';
import type { FaultContext } from '../../injection/fault.ts';
import { ownEntries } from '../../injection/ledger/ledger.ts';
import type { LedgerBook } from '../../injection/ledger/ledger-book.ts';
import type { FaultProcess } from '../../injection/main/fault-process.ts';
import type { Objection } from '../../injection/result/objection.ts';
import type { ResultWriter } from '../../injection/result/result-writer.ts';
import type { TimelineLog } from '../../injection/result/timeline-log.ts';
import type { ExperimentSettings } from '../../injection/settings/compile-settings.ts';
import type { TunableProblem } from '../../injection/settings/parse-tunables.ts';
import type { ProbeRunner } from '../../probes/runner-types.ts';
import type { HealthRecord } from '../../targets/health/health-record.ts';
import type { ForceLog } from '../chaos/force-log.ts';
import type { PodSightings } from '../chaos/pod-sightings.ts';
import type { WorkloadSightings } from '../chaos/workload-sightings.ts';
import type { PressureLog } from './pressure-log.ts';
import type { RunNews } from './run-news.ts';
import type { UnsteadyBell } from './unsteady-bell.ts';

/** Everything the phases of one run share. */
export interface Run extends Omit<FaultProcess, 'signal' | 'pressure'> {
  readonly news: RunNews;
  /** Those of the environment; `openRun` replaces them when it has read the engine, which may tighten them. */
  settings: ExperimentSettings;
  readonly problems: readonly TunableProblem[];
  /** Aborted by SIGTERM, SIGINT, or a probe that stops the run. */
  readonly stop: AbortSignal;
  /** Ends the run as a signal would. */
  readonly abort: (reason: Error) => void;
  readonly writer: ResultWriter;
  readonly timeline: TimelineLog;
  readonly ledger: LedgerBook;
  readonly pods: PodSightings;
  readonly workloads: WorkloadSightings;
  readonly force: ForceLog;
  /** How busy the machines of the run are. */
  readonly pressures: PressureLog;
  readonly events: EventWriter;
  /** Set by `openRun`: the engine, with what its run's record keeps. Undefined without one, or when it cannot be read. */
  engine: ChaosEngine | undefined;
  /** Set by `openRun`: this experiment's entry in the engine. */
  engineExperiment: EngineExperiment | undefined;
  /** Set by `openRun`: the pod of this process. Undefined outside of a pod, or when it cannot be read. */
  pod: Pod | undefined;
  /** Set by `openRun` where the entry has any. */
  probes: ProbeRunner | undefined;
  /** Set by the check before chaos: what the check after it compares with. Undefined where health is not checked. */
  healthBefore: HealthRecord | undefined;
  /** Why the run can be no Pass, as its phases find out: each adds its own, and `closeRun` judges by them. */
  readonly objections: Objection[];
  /** Rings when a Continuous probe does not pass right before the fault. */
  readonly unsteady: UnsteadyBell;
  /** Set by `runExperiment`, for the errors that are thrown in it. */
  phase: ErrorPhase;
}

/** The context a fault gets. */
export function faultContext(run: Run): FaultContext {
  return {
    client: run.client,
    clock: run.clock,
    random: run.random,
    signal: run.stop,
    recoveryTimeoutMs: run.settings.statusCheckTimeoutMs,
    note: (step, object, message) => {
      run.timeline.note({ step, object, message });
      run.news.storeSoon();
    },
    podsSeen: run.pods,
    force: run.ledger,
    tunables: run.settings.tunables,
  };
}

/** Whether the runner or the engine wants only a plan; the engine's wish is known once it has been read. */
export function isDryRun({ engine, settings }: Pick<Run, 'engine' | 'settings'>): boolean {
  return settings.tunables.DRY_RUN || (engine !== undefined && wantsDryRun(engine));
}

/** The ledger entries of this run, as far as this process knows them: the ledger may have some of an earlier one that was recovered. */
export function ownEntriesOf({ ledger, settings }: Pick<Run, 'ledger' | 'settings'>): LedgerEntry[] {
  return ownEntries({ status: { ledger: ledger.ledger } }, settings.runId);
}

/** Queues an Event on the engine, if the run has one. */
export function emitOnEngine({ engine, settings, events }: Run, text: ExperimentEvent): void {
  if (engine === undefined) return;
  const uid = settings.engineUid === '' ? (engine.metadata.uid ?? '') : settings.engineUid;
  events.onEngine({ name: engine.metadata.name, uid }, settings.experiment, text);
}

/** Queues an Event on the result. */
export function emitOnResult({ writer, settings, events }: Run, text: ExperimentEvent): void {
  if (writer.current === undefined) return;
  const { name, uid = '' } = writer.current.metadata;
  // Outside of a pod the result's name keeps the Events of two runs apart.
  events.onResult({ name, uid }, settings.podName === '' ? name : settings.podName, text);
}
