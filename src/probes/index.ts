/**
 * Probes: checks of steady state around and beside the chaos.
 *
 * Loading this file loads no type of probes; each is loaded when an experiment has one.
 */
export type { ProbeErrorCode } from './codes.ts';
export { checkProbes } from './definition.ts';
export type { PhaseOutcome, ProbeFinding } from './outcome.ts';
export {
  createProbeRunner,
  type ProbeChange,
  type ProbeLogger,
  type ProbeRunner,
  type ProbeRunnerOptions,
} from './runner.ts';
