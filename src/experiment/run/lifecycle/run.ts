import {
  CHAOS_STARTED,
  type ChaosEngine,
  type EngineExperiment,
  type Pod,
  type ProbeStatus,
} from '../../../api/index.ts';
import { wantsDryRun } from '../../../chaos/run-record.ts';
import type { ErrorPhase } from '../../injection/errors.ts';
import type { EventWriter } from '../../injection/events/event-writer.ts';
import type { ExperimentEvent } from '../../injection/events/messages.ts';
import type { FaultContext } from '../../injection/fault.ts';
import type { LedgerBook } from '../../injection/ledger/ledger-book.ts';
import type { FaultProcess } from '../../injection/main/fault-process.ts';
import type { ResultWriter } from '../../injection/result/result-writer.ts';
import type { TimelineLog } from '../../injection/result/timeline-log.ts';
import type { ExperimentSettings } from '../../injection/settings/compile-settings.ts';
import type { TunableProblem } from '../../injection/settings/parse-tunables.ts';
import type { PhaseOutcome } from '../../probes/outcome.ts';

/** The probes of a run as the lifecycle uses them. */
export interface RunProbes {
  preChaos(): Promise<PhaseOutcome>;
  prepareChaos(): Promise<PhaseOutcome>;
  chaosBegan(): void;
  chaosEnded(atMs?: number): void;
  postChaos(): Promise<PhaseOutcome>;
  statuses(): ProbeStatus[];
  abort(): Promise<void>;
}

/** Everything the phases of one run share. */
export interface Run extends Omit<FaultProcess, 'signal'> {
  /** Once the engine has been read, with what it and its run tighten. */
  settings: ExperimentSettings;
  readonly problems: readonly TunableProblem[];
  /** Aborted by SIGTERM, SIGINT, or a probe that stops the run. */
  readonly stop: AbortSignal;
  /** Ends the run as a signal would. */
  readonly abort: (reason: Error) => void;
  readonly writer: ResultWriter;
  readonly timeline: TimelineLog;
  readonly ledger: LedgerBook;
  readonly events: EventWriter;
  /** What is known after opening. */
  engine: ChaosEngine | undefined;
  engineExperiment: EngineExperiment | undefined;
  pod: Pod | undefined;
  probes: RunProbes | undefined;
  phase: ErrorPhase;
  /** The timeline says already that chaos has begun. */
  hasChaosStarted: boolean;
  /** The verdict is being written: what is still heard of probes comes too late. */
  isClosing: boolean;
  /** News of the fault wait for a write that takes them along. */
  hasWaitingNews: boolean;
}

/** The context a fault gets; with another signal for reverting after an abort. */
export function faultContext(run: Run, signal: AbortSignal = run.stop): FaultContext {
  return {
    client: run.client,
    clock: run.clock,
    random: run.random,
    signal,
    recoveryTimeoutMs: run.settings.statusCheckTimeoutMs,
    note: (step, object, message) => {
      run.timeline.note({ step, object, message });
      storeSoon(run);
    },
    tunables: run.settings.tunables,
  };
}

/** How long a line of a fault may wait for a write that takes it along. */
const NEWS_MS = 500;

/** Most lines go with the write that follows them; one that is said while the fault only waits is stored for itself. */
function storeSoon(run: Run): void {
  if (run.hasWaitingNews) return;
  run.hasWaitingNews = true;
  const { clock, timeline, writer } = run;
  const store = (): void => {
    run.hasWaitingNews = false;
    // A failure is told to the next write that is awaited.
    if (timeline.hasNews && !run.isClosing) void writer.write({}).catch(() => {});
  };
  clock.setTimer(NEWS_MS, store, { unref: true });
}

/**
 * Says once per run in the timeline that chaos begins: from there on its duration counts.
 *
 * @param time RFC 3339 with milliseconds @default now
 */
export function noteChaosStarted(run: Run, time?: string): void {
  if (run.hasChaosStarted) return;
  run.hasChaosStarted = true;
  const message = `${run.settings.durationMs / 1000} s of chaos begin`;
  run.timeline.note({ step: CHAOS_STARTED, message, time });
}

/** Whether a plan only is asked for, by the runner or by the engine; the latter is known once it has been read. */
export function isDryRun({ engine, settings }: Pick<Run, 'engine' | 'settings'>): boolean {
  return settings.tunables.DRY_RUN || (engine !== undefined && wantsDryRun(engine));
}

/** Queues an Event on the engine, if there is one. */
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
