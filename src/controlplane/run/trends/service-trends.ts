import { stateRow } from '../../../services/report/outcome/run-states.ts';
import type { ServiceRun, ServiceTrend } from '../../schema/generated/types.ts';

/** A workload in a run that hit it. */
export interface HitService extends Pick<ServiceTrend, 'kind' | 'namespace' | 'name'> {
  /** How long pods were missing, each time; those that did not come back are not among them. */
  readonly recoveriesMs: readonly number[];
  readonly isBack: boolean;
}

/** A run of a period, with the workloads that it hit. */
export interface TrendRun
  extends Pick<ServiceRun, 'experimentID' | 'experimentName' | 'experimentRunID' | 'runSequence' | 'state'> {
  readonly infraID: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  /** Null for a run that has none. */
  readonly score: number | null;
  readonly services: readonly HitService[];
}

/**
 * How runs went for each workload that they hit: first what got worse most, then what did not pass last. Runs without a score are marks like all
 * others, and in no mean. Pure.
 */
export function serviceTrends(runs: readonly TrendRun[]): ServiceTrend[] {
  const hits = runs
    .toSorted((one, other) => one.atMs - other.atMs)
    .flatMap((run) => run.services.map((service) => ({ run, service })));
  const groups = Map.groupBy(hits, ({ run, service }) =>
    [run.infraID, service.kind, service.namespace, service.name].join('/'),
  );
  return [...groups.values()].flatMap(asTrend).toSorted(worstFirst);
}

function asTrend(hits: readonly { readonly run: TrendRun; readonly service: HitService }[]): ServiceTrend[] {
  const [first] = hits;
  if (first === undefined) return [];
  const { kind, namespace, name } = first.service;
  return [
    {
      ...{ infraID: first.run.infraID, kind, namespace, name },
      runs: hits.map(({ run, service }) => asServiceRun(run, service)),
      change: changeOf(hits.flatMap(({ run }) => run.score ?? [])),
    },
  ];
}

function asServiceRun(
  { experimentID, experimentName, experimentRunID, runSequence, state, score, atMs }: TrendRun,
  { recoveriesMs, isBack }: HitService,
): ServiceRun {
  return {
    ...{ experimentID, experimentName, experimentRunID, runSequence, state, score, isBack },
    at: String(atMs),
    recoverySeconds: recoveriesMs.length === 0 ? null : Math.max(...recoveriesMs) / 1000,
  };
}

/** Of scores, the oldest first: the mean of the newer half less that of the older one. The one in the middle is a newer one. */
function changeOf(scores: readonly number[]): number | null {
  if (scores.length < 2) return null;
  const half = Math.floor(scores.length / 2);
  return meanOf(scores.slice(half)) - meanOf(scores.slice(0, half));
}

function meanOf(scores: readonly number[]): number {
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

function worstFirst(one: ServiceTrend, other: ServiceTrend): number {
  return (
    (one.change ?? 0) - (other.change ?? 0) ||
    lastScore(one) - lastScore(other) ||
    (`${one.namespace}/${one.name}` < `${other.namespace}/${other.name}` ? -1 : 1)
  );
}

/** Of a run that is over and has no score: the best if it passed without being judged, the worst otherwise. */
function lastScore({ runs }: ServiceTrend): number {
  const last = runs.findLast(({ state }) => stateRow(state)?.exitCode !== undefined);
  if (last === undefined) return 100;
  return last.score ?? (last.state === 'unchecked' || last.state === 'dryRun' ? 100 : 0);
}
