import type { GitDocument } from './documents.ts';

/** The state on which both sides agreed at the end of an earlier pass. */
export interface Agreed {
  readonly experimentID: string;
  readonly path: string;
  readonly name: string;
  /** Of the document. */
  readonly hash: string;
  /** Of the experiment. */
  readonly revisionID: string;
}

/** An experiment of the project. */
export interface KnownExperiment {
  readonly id: string;
  readonly name: string;
  readonly revisionID: string;
}

/** Both sides, and the state that they agreed on. */
export interface SyncFacts {
  readonly documents: readonly GitDocument[];
  readonly agreed: readonly Agreed[];
  readonly experiments: readonly KnownExperiment[];
  /** Whether the repository has this project's mark: without it, a missing document deletes nothing. */
  readonly isMarked: boolean;
}

/** A change of one of the sides. */
export type SyncStep =
  /** A new document: creates an experiment. */
  | { readonly do: 'create'; readonly document: GitDocument }
  /** A changed or moved document: the experiment gets a revision. */
  | {
      readonly do: 'update';
      readonly document: GitDocument;
      readonly experimentID: string;
      readonly conflict: boolean;
    }
  /** The same document at another place. */
  | { readonly do: 'move'; readonly document: GitDocument; readonly experimentID: string }
  /** A deleted document: deletes the experiment. */
  | { readonly do: 'delete'; readonly experimentID: string }
  /** A new or changed experiment: writes its document. */
  | { readonly do: 'write'; readonly experimentID: string; readonly place: Agreed | undefined }
  /** A deleted experiment: deletes the document. */
  | { readonly do: 'erase'; readonly place: Agreed }
  /** Deleted on both sides. */
  | { readonly do: 'forget'; readonly experimentID: string };

/**
 * Steps that synchronise a repository and a project: compares each side with the state that they agreed on. If both sides have changed, the
 * repository wins, and the other version stays as an older revision of the experiment. A change wins over a deletion. Pure.
 */
export function decideSync({ documents, agreed, experiments, isMarked }: SyncFacts): SyncStep[] {
  const known = new Map(experiments.map((experiment) => [experiment.id, experiment]));
  const places = new Map(agreed.map((place) => [keyOf(place), place]));
  const byID = new Map(agreed.map((place) => [place.experimentID, place]));
  const present = new Set(documents.map(keyOf));
  const handled = new Set<string>();
  const steps: SyncStep[] = [];
  for (const document of documents) {
    const place = places.get(keyOf(document)) ?? movedFrom(document, byID, present);
    const step = ofDocument(document, place, known, handled);
    const id =
      place?.experimentID ?? (step !== undefined && 'experimentID' in step ? step.experimentID : undefined);
    if (id !== undefined) handled.add(id);
    // Another experiment takes its place.
    if (step?.do === 'create' && place !== undefined)
      steps.push({ do: 'forget', experimentID: place.experimentID });
    if (step !== undefined) steps.push(step);
  }
  for (const place of agreed) {
    if (handled.has(place.experimentID)) continue;
    handled.add(place.experimentID);
    const step = ofMissing(place, known.get(place.experimentID), isMarked);
    if (step !== undefined) steps.push(step);
  }
  for (const { id } of experiments) {
    if (!handled.has(id)) steps.push({ do: 'write', experimentID: id, place: undefined });
  }
  return steps.toSorted((a, b) => ORDER.indexOf(a.do) - ORDER.indexOf(b.do));
}

/** Deletions first: they free names and places for new documents. */
const ORDER: readonly SyncStep['do'][] = ['forget', 'delete', 'move', 'update', 'create', 'erase', 'write'];

/** Whether the project is still in the agreed state. Pure. */
export function isAsAgreed(agreed: readonly Agreed[], experiments: readonly KnownExperiment[]): boolean {
  const known = new Map(experiments.map(({ id, revisionID }) => [id, revisionID]));
  return (
    agreed.length === known.size &&
    agreed.every(({ experimentID, revisionID }) => known.get(experimentID) === revisionID)
  );
}

function keyOf({ path, name }: { readonly path: string; readonly name: string }): string {
  return `${path}\0${name}`;
}

/** The former place of the experiment that a document names, if no document is there any more. */
function movedFrom(
  { experimentID }: GitDocument,
  byID: ReadonlyMap<string, Agreed>,
  present: ReadonlySet<string>,
): Agreed | undefined {
  const place = experimentID === '' ? undefined : byID.get(experimentID);
  return place !== undefined && !present.has(keyOf(place)) ? place : undefined;
}

function ofDocument(
  document: GitDocument,
  place: Agreed | undefined,
  known: ReadonlyMap<string, KnownExperiment>,
  handled: ReadonlySet<string>,
): SyncStep | undefined {
  if (place === undefined) {
    const { experimentID } = document;
    // A copy of a file names the same experiment again, and becomes a new experiment.
    const isKnown = known.has(experimentID) && !handled.has(experimentID);
    return isKnown ? { do: 'update', document, experimentID, conflict: false } : { do: 'create', document };
  }
  const { experimentID } = place;
  const experiment = known.get(experimentID);
  const isChanged = document.hash !== place.hash;
  const here = { ...place, path: document.path, name: document.name };
  if (experiment === undefined) {
    return isChanged ? { do: 'create', document } : { do: 'erase', place: here };
  }
  const isEdited = experiment.revisionID !== place.revisionID;
  if (isChanged) return { do: 'update', document, experimentID, conflict: isEdited };
  if (isEdited) return { do: 'write', experimentID, place: here };
  return keyOf(document) === keyOf(place) ? undefined : { do: 'move', document, experimentID };
}

function ofMissing(
  place: Agreed,
  experiment: KnownExperiment | undefined,
  isMarked: boolean,
): SyncStep | undefined {
  const { experimentID } = place;
  if (experiment === undefined) return { do: 'forget', experimentID };
  if (experiment.revisionID !== place.revisionID || !isMarked) return { do: 'write', experimentID, place };
  return { do: 'delete', experimentID };
}
