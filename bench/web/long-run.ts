import type { TimelinePage } from '../../src/services/report/timeline-page/model.ts';

const LANES = 200;
const LENGTH_MS = 3_600_000;

/** Length of the run that is replayed: eleven minutes, with a pod deleted every ten seconds. */
const [REPLAY_MS, EACH_MS] = [660_000, 10_000];

/** A run of eleven minutes as it is recorded: 66 pods of a workload of six are deleted, and a probe measures twice a second. Always the same. */
export function deletingRun(): TimelinePage {
  const hits = Array.from({ length: REPLAY_MS / EACH_MS }, (_, index) => index * EACH_MS + 2000);
  const of = 'deployment shop/web';
  const ready = hits.flatMap((at) => [
    [at, 6],
    [at, 5],
    [at + 3000, 5],
    [at + 3000, 6],
  ]);
  const measured = Array.from({ length: REPLAY_MS / 500 }, (_, index) => index * 500);
  const name = (index: number): string => `pod shop/web-6d9f7c5b8-${index}`;
  return {
    ...{ title: 'shop/web', runId: 'r1', startMs: 0, endMs: REPLAY_MS },
    ...{ verdicts: [], warnings: [], steps: [] },
    lanes: [
      {
        ...{ group: 'Probes', name: 'web-answers (Continuous)', asks: 'http://web.shop:8080/', marks: [] },
        bars: hits.flatMap((at, index) => [
          { kind: index % 9 === 8 ? 'failure' : 'passed', fromMs: at, toMs: at + EACH_MS, label: 'answered' },
        ]),
        curve: {
          ...{ what: 'response time', unit: 'ms', times: measured },
          values: measured.map((at) => 12 + (at % 7000) / 100),
        },
      },
      {
        ...{ group: 'Workloads', name: of, of },
        bars: hits.map((at) => ({
          kind: 'unready',
          fromMs: at,
          toMs: at + 3000,
          label: '3 s, then ready again',
        })),
        marks: hits.map((at, index) => ({
          kind: 'injected',
          atMs: at,
          label: `pod-delete hit ${name(index)}`,
        })),
        curve: {
          ...{ what: 'ready pods', unit: 'of 6', scale: { min: 0, max: 6 } },
          ...{ times: ready.map(([at = 0]) => at), values: ready.map(([, pods = 0]) => pods) },
        },
      },
      ...hits.map((at, index) => ({
        ...({ group: 'Targets', name: name(index), of, bars: [] } as const),
        marks: [{ kind: 'injected', atMs: at, label: 'pod-delete hit it' } as const],
      })),
      ...hits.map((at, index) => ({
        ...({ group: 'Pods', name: name(index) } as const),
        bars: [{ kind: 'unready', fromMs: at, toMs: at + 2500, label: 'is being deleted' } as const],
        marks: [{ kind: 'step', atMs: at + 2500, label: 'is gone' } as const],
      })),
      {
        ...{ group: 'Experiments', name: 'pod-delete', marks: [] },
        bars: [{ kind: 'chaos', fromMs: 2000, toMs: REPLAY_MS, label: 'chaos' }],
      },
    ],
  };
}

/** A run of an hour with so many marks in 200 lanes: probes that measure and targets that are hit again and again. Always the same. */
export function longRun(marks: number): TimelinePage {
  const perLane = Math.ceil(marks / LANES);
  const lanes = Array.from({ length: LANES }, (_, lane): TimelinePage['lanes'][number] => {
    const isProbe = lane % 2 === 0;
    const spacing = LENGTH_MS / perLane;
    const bars = Array.from({ length: perLane }, (_, index) => ({
      kind: isProbe
        ? index % 17 === lane % 17
          ? ('failure' as const)
          : ('passed' as const)
        : ('injected' as const),
      fromMs: index * spacing,
      toMs: (index + (isProbe ? 1 : 0.6)) * spacing,
      label: `mark ${index} of lane ${lane}`,
    }));
    return {
      group: isProbe ? 'Probes' : 'Targets',
      name: `${isProbe ? 'probe' : 'pod shop/web'}-${lane}`,
      bars,
      marks: [],
    };
  });
  return {
    ...{ title: 'shop/long', runId: 'r1', startMs: 0, endMs: LENGTH_MS },
    ...{ verdicts: [], warnings: [], steps: [] },
    lanes: lanes.toSorted((a, b) => a.group.localeCompare(b.group)),
  };
}
