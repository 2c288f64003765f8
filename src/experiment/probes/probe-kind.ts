import type { Clock } from '@turnsole/kube/base/clock';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { FieldError } from '@turnsole/kube/schema/field-error';
import type { Environment } from '@turnsole/kube/text/environment';
import type { Probe } from '../../api/schema/probe.ts';
import type { ProbeSummary } from '../../api/schema/result.ts';
import type { Measurement } from './outcome.ts';
import type { AddressOf, MayReach } from './reachable.ts';
import type { CompiledRunProperties } from './run-properties.ts';

/** What a measurement may use. */
export interface MeasureContext {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly env: Environment;
  /** Aborted at the attempt's time limit and when the run is aborted; whatever is under way then ends. */
  readonly signal: AbortSignal;
  /**
   * Aborted when the probe is to end: a lasting type then finishes what is under way, and gives it. @default never
   */
  readonly stopping?: AbortSignal;
  /** Limits of the probe's run properties, for types that ask more than once per attempt. */
  readonly limits: Pick<CompiledRunProperties, 'timeoutMs' | 'pollingMs' | 'evaluationMs'>;
  /** When chaos began, in milliseconds since 1970; undefined before that. */
  readonly chaosSinceMs: number | undefined;
  /** Replaces templates; throws TemplateError. */
  readonly render: (text: string) => string;
  /** Addresses that requests may go to. @default all */
  readonly mayReach?: MayReach;
  /** Names that this process cannot look up itself. Used with `mayReach` only. */
  readonly addressOf?: AddressOf | undefined;
  /** A process that measures has been started: while it, or what it starts, waits for a processor, the attempt's limit stands still. */
  readonly onProcess?: (pid: number | undefined) => void;
}

/** What `prepare` may use. */
export interface PrepareContext {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** STATUS_CHECK_TIMEOUT: how long objects of the probe may take to become ready. */
  readonly timeoutMs: number;
}

/** Gives back what a probe was given by `prepare`. Never rejects. */
export type Release = () => Promise<void>;

/** A type of probes: how to measure. One instance serves one probe runner; its probes have passed `validateProbes`. */
export interface ProbeKind {
  /** Problems that only the code of the type can find, with paths relative to the probe. */
  readonly check?: (probe: Probe) => Promise<readonly FieldError[]>;
  /**
   * Whether the probe changes something for good, so that repeating a run that passed makes no sense: the background modes
   * then run it once.
   */
  readonly changesState?: (probe: Probe) => boolean;
  /**
   * Whether the type measures all the time: its runs follow each other without a pause, and give what was measured meanwhile. @default
   * false
   */
  readonly isLasting?: boolean;
  /** How long one attempt may take. @default probeTimeout */
  readonly attemptLimitMs?: (run: CompiledRunProperties) => number;
  /**
   * Makes what the measurements of a probe need, before the first one of a phase; undefined when they need nothing. A
   * rejection is an abort, or an error that ends the phase as an error of a measurement does.
   */
  readonly prepare?: (probe: Probe, context: PrepareContext) => Promise<Release | undefined>;
  /** What is asked, in short, for messages: `GET http://web/`, `command 'curl web'`. */
  readonly subject: (probe: Probe, render: MeasureContext['render']) => string;
  /** The judgement on a background probe, by all that it has measured. @default the judgement stays as it is */
  readonly conclude?: (probe: Probe, judged: Measurement, summary: ProbeSummary) => Promise<Measurement>;
  /**
   * Measures once. A failure of the probed system is part of the measurement; a rejection is an abort, or an error that the
   * caller reports with the error code of the type. May run concurrently for different probes.
   */
  measure(probe: Probe, context: MeasureContext): Promise<Measurement>;
}
