import { stemOf } from '../compare/pair-lanes.ts';

/** Fields of a run of the cluster for finding the previous one. */
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
 * Finds the run before a run: the newest older one of its kind, with its name without the generated part, or with its faults.
 * Undefined if there is none. Builds the index once, since lists call it for each row. Pure.
 */
export function previousObjects<Item extends RunObject>(
  objects: readonly Item[],
): (run: RunObject) => Item | undefined {
  const runs = comparableRuns(objects);
  const [byName, byFaults] = [Map.groupBy(runs, nameKey), Map.groupBy(runs, faultsKey)];
  return (run) => {
    const isOlder = ({ id, createdAt }: Item): boolean =>
      id !== run.id && Number(createdAt) <= Number(run.createdAt);
    const ofFaults = run.faults.length === 0 ? undefined : byFaults.get(faultsKey(run));
    return byName.get(nameKey(run))?.find(isOlder) ?? ofFaults?.find(isOlder);
  };
}

/** The run before one run, as `previousObjects` finds it. Pure. */
export function previousObject<Item extends RunObject>(
  objects: readonly Item[],
  run: RunObject,
): Item | undefined {
  return previousObjects(objects)(run);
}

function nameKey({ kind, namespace, name }: RunObject): string {
  return `${kind} ${namespace}/${stemOf(`-${name}`)}`;
}

function faultsKey({ kind, faults }: RunObject): string {
  return `${kind} ${faults.join()}`;
}
