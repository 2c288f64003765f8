import { humanTime } from '@turnsole/kube/text/human-time';
import type { ChaosResult, LedgerEntry } from '../../../api/index.ts';
import { workloadCourse } from '../course/course.ts';
import { recoveriesOf } from '../course/recoveries.ts';
import { type Bar, type Curve, type Lane, type Mark, workloadName } from './lane.ts';

/**
 * A lane for each workload that was hit: its hits, the times in which pods were missing, and the number of ready pods as a curve of steps.
 * However many pods of it are hit, it is one lane. None for results without the numbers. Pure.
 */
export function workloadLanes(
  results: readonly ChaosResult[],
  entries: readonly LedgerEntry[],
  endMs: number,
): Lane[] {
  const all = results.flatMap(({ status }) => (status?.workloads ?? []).map(workloadCourse));
  const known = all.filter(({ ready }) => ready.length > 0);
  const groups = Map.groupBy(known, workloadName);
  return [...groups].map(([lane, own]): Lane => {
    const [first] = own;
    const hits = entries.filter(
      ({ target, injectedAt }) =>
        injectedAt !== undefined &&
        target.namespace === first?.namespace &&
        target.owner?.name === first?.name,
    );
    const bars = own.flatMap((workload) =>
      recoveriesOf(workload).map(({ fromMs, toMs }): Bar => {
        const label = toMs === undefined ? 'not back yet' : `${humanTime(toMs - fromMs)}, then ready again`;
        return { kind: 'unready', fromMs, toMs: toMs ?? endMs, label };
      }),
    );
    const ready = own.flatMap((workload) => workload.ready).toSorted((a, b) => a.atMs - b.atMs);
    const most = Math.max(...own.map(({ before }) => before));
    return {
      group: 'Workloads',
      name: lane,
      of: lane,
      bars,
      marks: hits.map(hitMark),
      curve: steps(ready, most, endMs),
    };
  });
}

function hitMark({ fault, target, injectedAt, state }: LedgerEntry): Mark {
  const kind = state === 'failed' ? 'failure' : 'injected';
  const container = target.container === undefined ? '' : ` (${target.container})`;
  return {
    kind,
    atMs: Date.parse(injectedAt ?? ''),
    label: `${fault} ${kind === 'failure' ? 'failed on' : 'hit'} ${target.kind} ${target.name}${container}`,
  };
}

/** Each number holds until the next: the line goes sideways, then up or down. */
function steps(
  ready: readonly { readonly atMs: number; readonly pods: number }[],
  before: number,
  endMs: number,
): Curve {
  const points = ready.flatMap(({ atMs, pods }, index) => {
    const last = ready[index - 1]?.pods;
    return last === undefined
      ? [{ atMs, pods }]
      : [
          { atMs, pods: last },
          { atMs, pods },
        ];
  });
  const last = ready.at(-1);
  const all =
    last !== undefined && last.atMs < endMs ? [...points, { atMs: endMs, pods: last.pods }] : points;
  return {
    what: 'ready pods',
    unit: `of ${before}`,
    times: all.map(({ atMs }) => atMs),
    values: all.map(({ pods }) => pods),
    scale: { min: 0, max: Math.max(before, 1, ...all.map(({ pods }) => pods)) },
  };
}
