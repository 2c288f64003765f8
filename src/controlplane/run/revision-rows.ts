import { unpackText } from '../store/packed-text.ts';
import type { Reader } from '../store/transaction.ts';
import type { Fault } from './fault.ts';

/** Fields of a revision for its runs and its experiment. */
export interface Revision {
  /** JSON text. */
  readonly manifest: string;
  readonly faults: readonly Fault[];
}

/** Revisions of a project by ID. */
export async function revisionsByID(
  db: Reader,
  project: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Revision>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('revisions')
    .select(['id', 'manifest', 'faults'])
    .where('project_id', '=', project)
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Map(
    rows.map(({ id, manifest, faults }) => [
      id,
      { manifest: unpackText(manifest), faults: JSON.parse(faults) },
    ]),
  );
}

/** Weights of a revision's faults, as clients see them. */
export function weightagesOf(
  faults: readonly Fault[],
): { readonly faultName: string; readonly weightage: number }[] {
  return faults.map(({ name, weight }) => ({ faultName: name, weightage: weight }));
}
