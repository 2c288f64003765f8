import { stateWords } from '../words/verdict.ts';

/** Fields of an object of the cluster for a list. */
interface ListedObject {
  readonly id: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** ID of its parent. */
  readonly parent: string | null;
  readonly state: string;
  readonly faults: readonly string[];
}

/** Filter of the list. */
interface ListChoice {
  /** `runs`: what users start, and results whose run was deleted; `all`: everything; else one kind. */
  readonly kind: string;
  /** Empty for all. */
  readonly namespace: string;
  /** Words that namespace, name or a fault has to contain, case-insensitively. */
  readonly find: string;
}

/** Kinds that are runs. */
const RUNS = ['ChaosEngine', 'Workflow'];
/** Most urgent first. */
const TONES = ['bad', 'warning', 'active', 'quiet', 'good'];

/** The objects that match the filter, in the given order. Pure. */
export function chosenObjects<Item extends ListedObject>(
  objects: readonly Item[],
  { kind, namespace, find }: ListChoice,
): readonly Item[] {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  const ids = new Set(objects.map(({ id }) => id));
  return objects.filter((one) => {
    const text = `${one.namespace}/${one.name} ${one.faults.join(' ')}`.toLowerCase();
    return (
      isOfKind(one, kind, ids) &&
      (namespace === '' || one.namespace === namespace) &&
      words.every((word) => text.includes(word))
    );
  });
}

function isOfKind({ kind, parent }: ListedObject, chosen: string, ids: ReadonlySet<string>): boolean {
  if (chosen === 'all') return true;
  if (chosen !== 'runs') return kind === chosen;
  return RUNS.includes(kind) || (kind === 'ChaosResult' && !ids.has(parent ?? ''));
}

/** Urgency of an object: failures before active ones, and these before successes. Pure. */
export function urgencyOf({ state }: Pick<ListedObject, 'state'>): number {
  return TONES.indexOf(stateWords(state).tone);
}
