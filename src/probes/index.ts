/**
 * Probes: checks of steady state around and beside the chaos.
 *
 * Loading this file loads no type of probes; each is loaded when an experiment has one.
 */
export type { ProbeErrorCode } from './codes.ts';
export { checkProbes } from './definition.ts';
export type { PhaseOutcome, ProbeFinding } from './outcome.ts';
export { createProbeRunner } from './runner.ts';
export type {
  ProbeChange,
  ProbeLogger,
  ProbeNews,
  ProbeRunner,
  ProbeRunnerOptions,
} from './runner-types.ts';
