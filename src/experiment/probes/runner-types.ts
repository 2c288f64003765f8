import type { Clock } from '@turnsole/kube/base/clock';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { PathSegment } from '@turnsole/kube/schema/path';
import type { Environment } from '@turnsole/kube/text/environment';
import type { Probe } from '../../api/schema/probe.ts';
import type { ProbeStatus } from '../../api/schema/result.ts';
import type { Span } from '../../chaos/force-windows.ts';
import type { Measurement, PhaseOutcome, ProbeFinding } from './outcome.ts';
import type { LoadProbeKind } from './registry.ts';

/** Where the runner writes its log; a pino logger fits. */
export interface ProbeLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** What a probe runner needs. */
export interface ProbeRunnerOptions {
  /** `spec.probe` of the engine's entry for this experiment. */
  readonly probes: readonly Probe[];
  /** Where that list stands, for messages: `['spec', 'experiments', 0, 'spec', 'probe']`. @default spec.probe */
  readonly path?: readonly PathSegment[];
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Ends everything at once, like `abort()`. */
  readonly signal: AbortSignal;
  /** Environment of the experiment, for commands and mounted files. */
  readonly env: Environment;
  /** Nothing is going to be injected. @default false */
  readonly isDryRun?: boolean;
  /** Whether the fault is injected also into what is broken already, so that failures before it count. @default false */
  readonly ignoresSteadyState?: boolean;
  /** How long the fault is meant to be in force. @default not known */
  readonly chaosDurationMs?: number;
  /** Share of the time in force that a background probe has to measure, in percent. @default DEFAULT_MINIMUM_COVERAGE */
  readonly minimumCoverage?: number | undefined;
  /** Limit for the last run of a background probe, and for attempts without a probeTimeout. */
  readonly statusCheckTimeoutSeconds: number;
  readonly logger: ProbeLogger;
  /** Called with all statuses whenever one changes, also in the background. */
  readonly onUpdate: (statuses: ProbeStatus[]) => void;
  /** Called when a probe is run for the first time, and when it finds something else than the time before. */
  readonly onChange?: (change: ProbeChange) => void;
  /** Called when an OnChaos probe begins, and when a background probe is judged, with how much it has measured of the fault. */
  readonly onNews?: (news: ProbeNews) => void;
  /**
   * Called when a Continuous probe does not pass between {@link ProbeRunner.steadyState} and the begin of the fault, as far as that is known:
   * the fault may have begun.
   */
  readonly onUnsteady?: (finding: ProbeFinding) => void;
  /** Called once, when a Continuous or OnChaos probe with stopOnFailure has failed: the engine has to be stopped. */
  readonly onStop: (reason: string) => void;
  /** What kept the machine of the run from keeping up so far, in words; undefined where it could. @default not known */
  readonly overload?: () => string | undefined;
  /** @default the types of this folder, loaded when needed */
  readonly load?: LoadProbeKind;
}

/** A new finding of a probe. */
export interface ProbeChange {
  readonly probe: string;
  readonly type: string;
  readonly mode: string;
  readonly outcome: Measurement['outcome'];
  /** The finding, in words. */
  readonly text: string;
  /** When it was found, by what is known of the fault by then. */
  readonly when: 'before' | 'during' | 'after';
}

/** Progress of a background probe, in words for the timeline. */
export interface ProbeNews {
  readonly probe: string;
  readonly type: string;
  readonly mode: string;
  readonly what: 'began' | 'ended' | 'unmeasured';
  readonly text: string;
}

/**
 * Runs the probes of one experiment. Call the phases in order, each once, and await it; then, or whenever the run ends early,
 * `abort()`. Between `prepareChaos` and `postChaos`, report when the fault comes into force and when it ends.
 *
 * A phase resolves with what its probes found; it rejects only when the run is aborted, with the signal's reason. After an
 * outcome with kind `error` or with `stop` the run must not go on; background probes are ended then.
 */
export interface ProbeRunner {
  /** Checks all definitions, runs SOT and the first half of Edge, starts Continuous. */
  preChaos(): Promise<PhaseOutcome>;
  /** Makes what OnChaos probes need, before anything is injected. */
  prepareChaos(): Promise<PhaseOutcome>;
  /**
   * Whether the Continuous probes hold right now, measured anew where the last measurement is old. Call it right before the first injection;
   * when it is not ok, nothing may be injected.
   */
  steadyState(): Promise<PhaseOutcome>;
  /**
   * The first injection begins: what Continuous probes find from now on counts. Repeating it with a later time changes nothing.
   *
   * @param atMs when that was, in milliseconds since 1970 @default now
   */
  injecting(atMs?: number): void;
  /**
   * The first injection is in force: OnChaos probes start, and Continuous ones measure anew. Repeating it changes nothing.
   *
   * @param atMs when that was, where it is known only now @default now
   */
  chaosBegan(atMs?: number): void;
  /**
   * The last revert begins: OnChaos probes begin no further run. Repeating it changes nothing.
   *
   * @param atMs when that was by the clock of the node, where the node has reported it @default now
   */
  chaosEnded(atMs?: number): void;
  /** In between, the fault was in force on at least one target in these times: what was measured in others has not measured it. */
  measuredIn(spans: readonly Span[]): void;
  /** Stops and evaluates the background probes; when none ends the run, runs EOT and the second half of Edge. */
  postChaos(): Promise<PhaseOutcome>;
  /** How the probes stand now, in the order of the definitions. */
  statuses(): ProbeStatus[];
  /**
   * Interrupts work under way, kills commands and ends the background probes; resolves when nothing is left that was made for
   * them. Idempotent; never rejects.
   */
  abort(): Promise<void>;
}
