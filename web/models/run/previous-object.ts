import { stemOf } from '../compare/pair-lanes.ts';

/** What is needed of a run of the cluster to find the one before it. */
interface RunObject {
  readonly id: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly faults: readonly string[];
  /** Unix milliseconds, as text. */
  readonly createdAt: string;
}

/** Kinds that are runs. */
const RUNS = ['ChaosEngine', 'Workflow', 'ChaosResult'];

/** The runs of a cluster that can be compared, the newest first. Pure. */
export function comparableRuns<Item extends RunObject>(objects: readonly Item[]): Item[] {
  return objects
    .filter(({ kind }) => RUNS.includes(kind))
    .toSorted((a, b) => Number(b.createdAt) - Number(a.createdAt) || (a.id < b.id ? -1 : 1));
}

/**
 * The run before a run: of its kind, and of its name but for what was drawn for it, or of its faults; the newest of those that are older.
 * Undefined where there is none. Pure.
 */
export function previousObject<Item extends RunObject>(
  objects: readonly Item[],
  run: RunObject,
): Item | undefined {
  const older = comparableRuns(objects).filter(
    ({ id, kind, createdAt }) =>
      kind === run.kind && id !== run.id && Number(createdAt) <= Number(run.createdAt),
  );
  const nameOf = ({ namespace, name }: RunObject): string => `${namespace}/${stemOf(`-${name}`)}`;
  return (
    older.find((one) => nameOf(one) === nameOf(run)) ??
    older.find(({ faults }) => faults.length > 0 && faults.join() === run.faults.join())
  );
}
