import type { Axis, AxisLane } from '../timeline/axis.ts';

/** Lanes of two runs that show the same thing, by index; undefined if only the other run has it. */
export interface LanePair {
  readonly group: string;
  /** The name in the first run, else that in the second. */
  readonly name: string;
  readonly a: number | undefined;
  readonly b: number | undefined;
}

/**
 * Lanes of two runs in pairs, in the order of the first run, with lanes of only the second at the end of their group. Names with a generated
 * part (pods, workflows of a schedule, engines) match without that part. Pure.
 */
export function pairLanes(a: Pick<Axis, 'lanes'>, b: Pick<Axis, 'lanes'>): LanePair[] {
  const groups = new Set([...a.lanes, ...b.lanes].map(({ group }) => group));
  return [...groups].flatMap((group) => pairsOfGroup(group, a.lanes, b.lanes));
}

function pairsOfGroup(group: string, a: readonly AxisLane[], b: readonly AxisLane[]): LanePair[] {
  const [ofA, ofB] = [placesOf(group, a), placesOf(group, b)];
  const partners = new Map<number, number>();
  const taken = new Set<number>();
  for (const keyOf of [(name: string) => name, stemOf]) {
    const free = queues(
      ofB.filter((place) => !taken.has(place)).map((place) => [keyOf(b[place]?.name ?? ''), place]),
    );
    for (const place of ofA) {
      if (partners.has(place)) continue;
      const partner = free.get(keyOf(a[place]?.name ?? ''))?.shift();
      if (partner === undefined) continue;
      partners.set(place, partner);
      taken.add(partner);
    }
  }
  return [
    ...ofA.map((place) => ({ group, name: a[place]?.name ?? '', a: place, b: partners.get(place) })),
    ...ofB
      .filter((place) => !taken.has(place))
      .map((place) => ({ group, name: b[place]?.name ?? '', a: undefined, b: place })),
  ];
}

function placesOf(group: string, lanes: readonly AxisLane[]): number[] {
  return lanes.flatMap((lane, place) => (lane.group === group ? [place] : []));
}

function queues(entries: readonly (readonly [key: string, place: number])[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const [key, place] of entries) {
    const queue = found.get(key) ?? [];
    found.set(key, queue);
    queue.push(place);
  }
  return found;
}

/** Characters of generated names in Kubernetes. Source: apimachinery, util/rand. */
const DRAWN = '[bcdfghjklmnpqrstvwxz2456789]';
/** The hash of a ReplicaSet with a pod's suffix; the timestamp of a CronWorkflow; a suffix alone. */
const PARTS = [
  new RegExp(`-${DRAWN}{8,10}-${DRAWN}{5}\\b`, 'g'),
  /-\d{8,10}\b/g,
  new RegExp(`-${DRAWN}{5}\\b`, 'g'),
];

/** A name without its generated part: `pod shop/web-6d9f7c5b8-tcldh` is `pod shop/web-*`. Pure. */
export function stemOf(name: string): string {
  return PARTS.reduce((text, part) => text.replace(part, '-*'), name);
}
