import type { ControlPlane } from '../access/context.ts';
import { keyHash } from '../access/secret-box.ts';
import { ACCESS_KEY } from '../infra/manifest/access-key.ts';
import { KEY_BYTES } from '../infra/registration/register-infra.ts';
import { projectScope } from '../store/store.ts';
import { madeBy } from '../store/tables/columns.ts';

/** The cluster of a server for one person, as its project has it. */
export interface LocalInfra {
  /** Unique in the project: experiments keep to the cluster that they were made for. */
  readonly name: string;
  /** Where experiments run: it has their accounts. */
  readonly namespace: string;
}

/** What the agent of that cluster is known by. */
export interface LocalAgent {
  readonly infraID: string;
  readonly accessKey: string;
  readonly version: string;
}

/** The environment of clusters that nobody has sorted. */
const ENVIRONMENT = 'local';

/**
 * Makes the cluster an infrastructure of the project, or finds it again. Its agent is in the process that has started the server: it is confirmed, and
 * each start gives it another key.
 */
export async function ensureLocalInfra(
  { store, ids, secrets, settings }: ControlPlane,
  project: string,
  { name, namespace }: LocalInfra,
  username: string,
): Promise<LocalAgent> {
  const { version } = settings;
  const accessKey = ids.secret(KEY_BYTES);
  const known = {
    namespace,
    sealed_access_key: secrets.seal(ACCESS_KEY, accessKey),
    access_key_hash: keyHash(accessKey),
    former_key_hash: null,
    // An earlier process may have been killed.
    ...{ active: 0 as const, connection_id: null, contested_until: null },
  };
  const infraID = await store.transaction(projectScope(project), async ({ db, now }) => {
    const before = await db
      .selectFrom('infras')
      .select('id')
      .where('project_id', '=', project)
      .where('name', '=', name)
      .where('removed', '=', 0)
      .executeTakeFirst();
    if (before !== undefined) {
      await db.updateTable('infras').set(known).where('id', '=', before.id).execute();
      return before.id;
    }
    const made = { ...madeBy(username, now), removed: 0 as const };
    const environment = {
      project_id: project,
      id: ENVIRONMENT,
      name: ENVIRONMENT,
      type: 'NON_PROD' as const,
    };
    await db
      .insertInto('environments')
      .values({ ...environment, description: '', tags: '[]', ...made })
      .onConflict((conflict) => conflict.columns(['project_id', 'id']).doUpdateSet({ removed: 0 }))
      .execute();
    const id = ids.id();
    const described = { description: 'The cluster of turnsole ui', tags: '[]', platform_name: 'Others' };
    const account = { scope: 'cluster', service_account: 'litmus', service_account_exists: 1 } as const;
    const place = { namespace_exists: 1, skip_ssl: 0, node_selector: '', tolerations: '[]' } as const;
    const state = { registered: 1, confirmed: 1, seen_at: null, key_rotated_at: null } as const;
    await db
      .insertInto('infras')
      .values({
        ...{ id, project_id: project, environment_id: ENVIRONMENT, name, ...described, ...account, ...place },
        ...{
          flavour: 'turnsole',
          ...known,
          ...state,
          answers: null,
          metrics: null,
          version,
          start_time: now,
        },
        ...made,
      })
      .execute();
    return id;
  });
  return { infraID, accessKey, version };
}
