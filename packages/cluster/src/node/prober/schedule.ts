import type { Probe } from '@turnsole/kube/kinds/core';

/** The numbers of a probe with their defaults filled in. */
interface ProbeTiming {
  readonly initialDelayMs: number;
  readonly periodMs: number;
  readonly timeoutMs: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
  /** Whether the container waits for its first success: then it is probed more often than the period until then. */
  readonly eager: boolean;
}

export type ContainerProbeKind = 'startup' | 'readiness' | 'liveness';

/** Fields of a probe that say when and how often (API reference: Probe). */
export type ProbeNumbers = Pick<
  Probe,
  'initialDelaySeconds' | 'periodSeconds' | 'timeoutSeconds' | 'successThreshold' | 'failureThreshold'
>;

/** Fills in the API's defaults; pure. */
export function probeTiming(kind: ContainerProbeKind, probe: ProbeNumbers): ProbeTiming {
  const successThreshold = probe.successThreshold ?? 1;
  return {
    initialDelayMs: (probe.initialDelaySeconds ?? 0) * 1000,
    periodMs: (probe.periodSeconds ?? 10) * 1000,
    timeoutMs: (probe.timeoutSeconds ?? 1) * 1000,
    successThreshold,
    failureThreshold: probe.failureThreshold ?? 3,
    eager: kind !== 'liveness' && successThreshold === 1,
  };
}

/** Where a probe stands. */
interface ProbeState {
  /** When the next attempt is that counts. */
  readonly nextCountedMs: number;
  /** When the next early attempt is, while the first success is awaited. */
  readonly nextEarlyMs: number | undefined;
  readonly earlyDelayMs: number;
  readonly successes: number;
  readonly failures: number;
  /** Undefined until a threshold was reached. */
  readonly verdict: boolean | undefined;
}

const FIRST_EARLY_DELAY_MS = 10;
const EARLY_GROWTH = 1.5;
const MAX_EARLY_DELAY_MS = 1_000;

/**
 * Where a probe stands when its container starts; pure.
 *
 * Attempts that count are made at the initial delay and each period after it; without a delay the first is after one
 * period, as kubelet's worker finds the container not yet running at its first tick. Startup and readiness probes are
 * made earlier too, at growing intervals up to a second, until they succeed once: a failure then does not count, so
 * the container is ready sooner and never judged more strictly (API concepts: "periodSeconds" of readiness probes).
 */
export function initialProbeState(timing: ProbeTiming, startedAtMs: number): ProbeState {
  const from = startedAtMs + timing.initialDelayMs;
  return {
    nextCountedMs: timing.initialDelayMs > 0 ? from : from + timing.periodMs,
    nextEarlyMs: timing.eager ? from : undefined,
    earlyDelayMs: FIRST_EARLY_DELAY_MS,
    successes: 0,
    failures: 0,
    verdict: undefined,
  };
}

/** When the next attempt is to be made; pure. */
export function nextAttemptMs(state: ProbeState): number {
  return Math.min(state.nextCountedMs, state.nextEarlyMs ?? Number.POSITIVE_INFINITY);
}

/** Takes the outcome of the attempt due at `dueMs`, which ended at `nowMs`, into account; pure. */
export function afterAttempt(
  state: ProbeState,
  timing: ProbeTiming,
  ok: boolean,
  dueMs: number,
  nowMs: number,
): ProbeState & { readonly counted: boolean } {
  const isTick = dueMs >= state.nextCountedMs;
  const counted = ok || isTick;
  let nextCountedMs = state.nextCountedMs;
  while (nextCountedMs <= Math.max(dueMs, nowMs) && isTick) nextCountedMs += timing.periodMs;
  const successes = ok ? state.successes + 1 : counted ? 0 : state.successes;
  const failures = ok ? 0 : counted ? state.failures + 1 : state.failures;
  const verdict =
    ok && successes >= timing.successThreshold
      ? true
      : !ok && counted && failures >= timing.failureThreshold
        ? false
        : state.verdict;
  const awaiting = state.nextEarlyMs !== undefined && !ok;
  return {
    nextCountedMs,
    nextEarlyMs: awaiting ? nowMs + state.earlyDelayMs : undefined,
    earlyDelayMs: Math.min(state.earlyDelayMs * EARLY_GROWTH, MAX_EARLY_DELAY_MS),
    successes,
    failures,
    verdict,
    counted,
  };
}
