import type { EngineVerdict } from '../../../api/index.ts';
import type { Fault } from '../fault.ts';

/** An Event to be: reason, type and message (compatibility reference, section 8). */
export interface ExperimentEvent {
  readonly reason: string;
  readonly type: 'Normal' | 'Warning';
  readonly message: string;
}

/** What the checks before or after chaos found. */
export interface CheckOutcome {
  readonly reason: 'PreChaosCheck' | 'PostChaosCheck';
  /** The subject of the default checks: application pods, nodes, a server, or nothing because they are switched off. */
  readonly subject: 'application' | 'node' | 'server' | 'skipped';
  readonly healthy: boolean;
  /** Absent when the run has no probes or they did not get their turn. */
  readonly probes: 'Successful' | 'Unsuccessful' | undefined;
}

const PREFIXES = {
  application: { true: 'AUT: Running', false: 'AUT: Not Running' },
  node: { true: 'NUT: Ready', false: 'NUT: Not Ready' },
  server: { true: 'NUT: Running', false: 'NUT: Not Running' },
} as const;

/** PreChaosCheck or PostChaosCheck, on the engine. */
export function checkEvent({ reason, subject, healthy, probes }: CheckOutcome): ExperimentEvent {
  const prefix = subject === 'skipped' ? undefined : PREFIXES[subject][`${healthy}`];
  const suffix = probes === undefined ? undefined : `Probes: ${probes}`;
  const message = [prefix, suffix].filter((part) => part !== undefined).join(', ');
  return {
    reason,
    type: healthy && probes !== 'Unsuccessful' ? 'Normal' : 'Warning',
    message: message === '' ? 'Skipped the default checks' : message,
  };
}

/** ChaosInject, on the engine, once per round. */
export function injectEvent(
  fault: Pick<Fault, 'name' | 'injectMessage'>,
  experiment: string,
): ExperimentEvent {
  const message = fault.injectMessage ?? `Injecting ${experiment} chaos on application pod`;
  return { reason: 'ChaosInject', type: 'Normal', message };
}

/** NodeUnfit, on the engine: the node of a target, or the rights of a helper there, do not allow the fault. */
export function unfitEvent(reason: string): ExperimentEvent {
  return { reason: 'NodeUnfit', type: 'Warning', message: reason };
}

/** Awaited, on the result. */
export function awaitedEvent(experiment: string): ExperimentEvent {
  return { reason: 'Awaited', type: 'Normal', message: `experiment: ${experiment}, Result: Awaited` };
}

/** The verdict, on the result. */
export function verdictEvent(experiment: string, verdict: EngineVerdict): ExperimentEvent {
  const type = verdict === 'Pass' ? 'Normal' : 'Warning';
  return { reason: verdict, type, message: `experiment: ${experiment}, Result: ${verdict}` };
}

/** NoEffect, on engine and result: what was hit without any effect. */
export function noEffectEvent(experiment: string, found: readonly string[]): ExperimentEvent {
  return {
    reason: 'NoEffect',
    type: 'Warning',
    message: `${experiment} had no effect on ${found.join('; ')}`,
  };
}

/** EffectUnknown, on engine and result: of these it is not known whether they felt an effect, and of no other that it did. */
export function unknownEffectEvent(experiment: string, targets: readonly string[]): ExperimentEvent {
  return {
    reason: 'EffectUnknown',
    type: 'Warning',
    message: `whether ${experiment} had an effect is not known of ${targets.join('; ')}; look at its timeline`,
  };
}

/** What a dry run found, on engine and result. */
export function dryRunEvent(experiment: string, summary: string, hasObjections: boolean): ExperimentEvent {
  const type = hasObjections ? 'Warning' : 'Normal';
  return { reason: 'DryRun', type, message: `dry run of ${experiment}, nothing is injected: ${summary}` };
}

/** Abort, on the result. */
export function abortEvent(experiment: string): ExperimentEvent {
  return { reason: 'Abort', type: 'Warning', message: `${experiment} experiment has been aborted` };
}

const PAST: Readonly<Record<EngineVerdict, string>> = {
  Awaited: 'Awaited',
  Pass: 'Passed',
  Fail: 'Failed',
  Stopped: 'Stopped',
  Error: 'Errored',
  'N/A': 'dry-run, nothing was injected',
};

/** How the run ended, on the engine. A run that came to its end is Normal even with verdict Fail. */
export function summaryEvent(
  experiment: string,
  ending: 'completed' | 'error' | 'aborted',
  verdict: EngineVerdict,
): ExperimentEvent {
  const reason = 'Summary';
  switch (ending) {
    case 'completed':
      return { reason, type: 'Normal', message: `${experiment} experiment has been ${PAST[verdict]}` };
    case 'error':
      return { reason, type: 'Warning', message: `experiment: ${experiment}, Result: ${verdict}` };
    case 'aborted':
      return { reason, type: 'Warning', message: `${experiment} experiment has been aborted` };
  }
}
