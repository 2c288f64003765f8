import type { ProbeRow } from '../store/tables/probes.ts';
import type { Reader } from '../store/transaction.ts';
import type { KeptProbe } from './manifest-probe.ts';

/** Probes of a project by name, without deleted ones. */
export async function probeRows(
  db: Reader,
  project: string,
  names: readonly string[],
): Promise<readonly ProbeRow[]> {
  if (names.length === 0) return [];
  return db
    .selectFrom('probes')
    .selectAll()
    .where('project_id', '=', project)
    .where('removed', '=', 0)
    .where('name', 'in', [...new Set(names)])
    .execute();
}

/** A probe of a project; undefined if there is none, or it was deleted. */
export async function probeRow(db: Reader, project: string, name: string): Promise<ProbeRow | undefined> {
  const [row] = await probeRows(db, project, [name]);
  return row;
}

/** A probe in the form of manifests. */
export function keptProbe({ name, type, body }: ProbeRow): KeptProbe {
  return { name, type, body: JSON.parse(body) };
}

/** The probes of these names in the form of manifests. */
export async function keptProbes(
  db: Reader,
  project: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, KeptProbe>> {
  const rows = await probeRows(db, project, names);
  return new Map(rows.map((row) => [row.name, keptProbe(row)]));
}
