import type { Reader } from '../store/transaction.ts';
import type { AuditLine } from './audit-lines.ts';

/** Reads the names of objects that still have a row, also when they were deleted. */
type ReadNames = (
  db: Reader,
  ids: readonly string[],
) => Promise<readonly { readonly id: string; readonly name: string; readonly project?: string }[]>;

const users: ReadNames = (db, ids) =>
  db.selectFrom('users').select(['id', 'username as name']).where('id', 'in', ids).execute();

const infras: ReadNames = (db, ids) =>
  db.selectFrom('infras').select(['id', 'name']).where('id', 'in', ids).execute();

/** By kinds of objects. Lines of others have the name in the object, or an ID that is one. */
const READ: Readonly<Record<string, ReadNames>> = {
  user: users,
  member: users,
  password: users,
  infra: infras,
  // IDs are chosen by clients, and stand for something else in each project.
  experiment: (db, ids) =>
    db
      .selectFrom('experiments')
      .select(['id', 'name', 'project_id as project'])
      .where('id', 'in', ids)
      .execute(),
  environment: (db, ids) =>
    db
      .selectFrom('environments')
      .select(['id', 'name', 'project_id as project'])
      .where('id', 'in', ids)
      .execute(),
  hub: (db, ids) => db.selectFrom('hubs').select(['id', 'name']).where('id', 'in', ids).execute(),
  project: (db, ids) => db.selectFrom('projects').select(['id', 'name']).where('id', 'in', ids).execute(),
  webhook: (db, ids) => db.selectFrom('webhooks').select(['id', 'name']).where('id', 'in', ids).execute(),
  run: async (db, ids) => {
    const runs = await db
      .selectFrom('runs')
      .innerJoin('experiments', (join) =>
        join
          .onRef('experiments.id', '=', 'runs.experiment_id')
          .onRef('experiments.project_id', '=', 'runs.project_id'),
      )
      .select(['runs.run_id', 'runs.sequence', 'runs.project_id', 'experiments.name'])
      .where('runs.run_id', 'in', ids)
      .execute();
    return runs.map(({ run_id, sequence, project_id, name }) => ({
      ...{ id: run_id ?? '', name: `${sequence} of ${name}`, project: project_id },
    }));
  },
};

/** What the objects and the agents of lines are called; empty where that is not known. */
export interface Names {
  ofObject(line: AuditLine): string;
  ofActor(line: AuditLine): string;
}

/** Reads the names for a page of lines, with a query for each kind of objects. */
export async function namesOf(db: Reader, lines: readonly AuditLine[]): Promise<Names> {
  const agents = new Set(
    lines.filter(({ actor_kind }) => actor_kind === 'agent').map(({ actor_id }) => actor_id),
  );
  const ids = new Map<string, Set<string>>();
  for (const { object_kind, object_id } of lines) {
    const known = ids.get(object_kind) ?? new Set();
    ids.set(object_kind, known.add(object_id));
  }
  const found = await Promise.all(
    [...ids].map(async ([kind, wanted]) => {
      const rows = (await READ[kind]?.(db, [...wanted])) ?? [];
      return rows.map(({ id, name, project }) => [keyOf(kind, id, project), name] as const);
    }),
  );
  const objects = new Map(found.flat());
  const ofAgents = agents.size === 0 ? [] : await infras(db, [...agents]);
  const agentNames = new Map(ofAgents.map(({ id, name }) => [id, name]));
  return {
    ofObject: ({ object_kind: kind, object_id: id, project_id: project }) =>
      objects.get(keyOf(kind, id, project ?? undefined)) ?? objects.get(keyOf(kind, id)) ?? '',
    ofActor: ({ actor_name, actor_id }) => actor_name || (agentNames.get(actor_id) ?? ''),
  };
}

function keyOf(kind: string, id: string, project = ''): string {
  return JSON.stringify([kind, id, project]);
}
