import { RUN_STATES, type RunState } from '../outcome/run-states.ts';
import type { ExperimentCourse, RunCourse } from './model.ts';

/** The state of a run at a moment. */
export interface StateNow {
  readonly state: RunState;
  /** Of a state that has a length: since when, in milliseconds since the epoch. */
  readonly sinceMs?: number;
  /** How long it lasts, or may last. */
  readonly limitMs?: number;
}

/** The most urgent first: of experiments side by side it is the run's. */
const URGENCY: readonly RunState[] = ['reverting', 'chaos', 'waiting', 'checking'];

/**
 * The state of a run that is not over. The first row that applies decides:
 *
 * | found | state |
 * | --- | --- |
 * | an experiment is in chaos | chaos in force, n of m s; reverting, or waiting for what was hit, when its time is over |
 * | it was told to stop, or is being aborted | reverting while anything is in force, else stopping |
 * | operator or runner have found something against it | cannot start |
 * | an experiment has begun, and not found its application healthy | waiting for the application |
 * | an experiment is before its chaos or after it | checking |
 * | none has begun | starting |
 * | all that have begun have ended | running |
 *
 * Pure.
 */
export function stateNow(course: RunCourse, nowMs: number): StateNow {
  const open = course.experiments.filter(({ endMs }) => endMs === undefined);
  const inForce = course.experiments.some(({ hits }) => hits.some((group) => group.open > 0));
  if (course.isStopping || open.some(({ abortedMs }) => abortedMs !== undefined))
    return { state: inForce ? 'reverting' : 'stopping' };
  const [state] = open
    .map((experiment) => stateOfExperiment(experiment, nowMs))
    .toSorted((a, b) => URGENCY.indexOf(a.state) - URGENCY.indexOf(b.state));
  if (state !== undefined && (course.problem === undefined || state.state === 'chaos')) return state;
  if (course.problem !== undefined) return { state: 'blocked' };
  return { state: course.experiments.length === 0 ? 'starting' : 'running' };
}

function stateOfExperiment(experiment: ExperimentCourse, nowMs: number): StateNow {
  const { startMs, healthyMs, chaosMs, chaosEndMs, chaosSeconds, healthSeconds, hits } = experiment;
  const healthMs = healthSeconds === undefined ? undefined : healthSeconds * 1000;
  if (chaosMs === undefined) {
    if (healthMs === undefined || healthyMs !== undefined) return { state: 'checking' };
    return { state: 'waiting', sinceMs: startMs, limitMs: healthMs };
  }
  if (chaosEndMs !== undefined) return { state: 'checking' };
  const limitMs = chaosSeconds === undefined ? undefined : chaosSeconds * 1000;
  const chaos: StateNow = { state: 'chaos', sinceMs: chaosMs, ...(limitMs !== undefined && { limitMs }) };
  if (limitMs === undefined || nowMs < chaosMs + limitMs) return chaos;
  if (hits.some(({ open }) => open > 0)) return { state: 'reverting', sinceMs: chaosMs + limitMs };
  return {
    ...{ state: 'waiting', sinceMs: chaosMs + limitMs },
    ...(healthMs !== undefined && { limitMs: healthMs }),
  };
}

/** `Chaos in force, 7 of 15 s`, `Waiting for the application, 12 of at most 180 s`. Pure. */
export function stateWordsNow({ state, sinceMs, limitMs }: StateNow, nowMs: number): string {
  const { label } = RUN_STATES[state];
  if (sinceMs === undefined) return label;
  const seconds = Math.max(0, Math.floor((nowMs - sinceMs) / 1000));
  if (limitMs === undefined) return `${label}, ${seconds} s`;
  const limit = Math.round(limitMs / 1000);
  return `${label}, ${Math.min(seconds, limit)} of ${state === 'waiting' ? 'at most ' : ''}${limit} s`;
}
