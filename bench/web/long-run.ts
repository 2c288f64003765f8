import type { TimelinePage } from '../../src/services/report/timeline-page/model.ts';

const LANES = 200;
const LENGTH_MS = 3_600_000;

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
