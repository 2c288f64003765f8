import type { ChaosEngine, ChaosResult } from '../../src/api/index.ts';

/** The steps of a round, in milliseconds from the moment before; undefined for steps that a run does not have. */
export interface RoundSteps {
  readonly plannedAt: number;
  /** To the begin of an effect. */
  readonly begin: Readonly<Record<BeginStep, number | undefined>>;
  /** To its end. */
  readonly end: Readonly<Record<EndStep, number | undefined>>;
}

export const BEGIN_STEPS = ['runner', 'job', 'experiment', 'helper', 'planned', 'injected', 'seen'] as const;
export const END_STEPS = ['stop heard', 'reverted', 'normal'] as const;
export type BeginStep = (typeof BEGIN_STEPS)[number];
export type EndStep = (typeof END_STEPS)[number];

/** Times that the bench itself has seen, by Date.now(). */
export interface SeenTimes {
  readonly createdAt: number;
  readonly effectAt: number;
  readonly stoppedAt: number;
  readonly normalAt: number | undefined;
}

/** Pure. Times of the cluster's own records; both clocks are this machine's. */
export function stepsOf(engine: ChaosEngine, { status }: ChaosResult, seen: SeenTimes): RoundSteps {
  const [entry] = Object.values(status?.ledger ?? {});
  const at = (steps: readonly { readonly step: string; readonly time: string }[], step: string) =>
    parse(steps.find((one) => one.step === step)?.time);
  const own = status?.timeline ?? [];
  const begin = {
    runner: at(engine.status?.timeline ?? [], 'RunnerCreated'),
    job: at(engine.status?.timeline ?? [], 'JobCreated'),
    experiment: at(own, 'ExperimentStarted'),
    helper: at(own, 'HelperCreated'),
    planned: parse(entry?.plannedAt),
    injected: parse(entry?.injectedAt),
    seen: seen.effectAt,
  };
  const end = {
    'stop heard': at(own, 'Aborted'),
    reverted: parse(entry?.revertedAt),
    normal: seen.normalAt,
  };
  return {
    plannedAt: begin.planned ?? 0,
    begin: since(seen.createdAt, begin),
    end: since(seen.stoppedAt, end),
  };
}

function since<K extends string>(
  fromMs: number,
  times: Readonly<Record<K, number | undefined>>,
): Record<K, number | undefined> {
  const entries = Object.entries<number | undefined>(times);
  // The keys are those of the argument.
  return Object.fromEntries(
    entries.map(([key, time]) => [key, time === undefined ? undefined : time - fromMs]),
  ) as Record<K, number | undefined>;
}

function parse(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time);
}
