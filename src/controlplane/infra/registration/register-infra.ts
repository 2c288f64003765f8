import { recordChange } from '../../access/audit.ts';
import { type Context, memberOf, userOf } from '../../access/context.ts';
import { Refusal } from '../../access/refusal.ts';
import { keyHash } from '../../access/secret-box.ts';
import type { RegisterInfraRequest, RegisterInfraResponse } from '../../schema/generated/types.ts';
import { projectScope } from '../../store/store.ts';
import { madeBy } from '../../store/tables/columns.ts';
import type { InfraRow } from '../../store/tables/infras.ts';
import type { Tx } from '../../store/transaction.ts';
import { auditedInfra } from '../infras.ts';
import { ACCESS_KEY } from '../manifest/access-key.ts';
import { manifestOf } from '../manifest/manifest.ts';
import { manifestToken } from '../manifest/manifest-token.ts';
import { readRegistration } from './read-registration.ts';

/** Length of agents' keys. */
export const KEY_BYTES = 32;

/** Registers an infrastructure, and returns the manifest of its agent. @throws Refusal */
export async function registerInfra(
  request: RegisterInfraRequest,
  flavour: InfraRow['flavour'],
  context: Context,
): Promise<RegisterInfraResponse> {
  const { plane } = context;
  const { project } = memberOf(context);
  const { username } = userOf(context);
  const accessKey = plane.ids.secret(KEY_BYTES);
  const fixed = {
    ...readRegistration(request),
    id: plane.ids.id(),
    project_id: project,
    flavour,
    sealed_access_key: plane.secrets.seal(ACCESS_KEY, accessKey),
    access_key_hash: keyHash(accessKey),
    former_key_hash: null,
    key_rotated_at: null,
    registered: 0,
    confirmed: 0,
    active: 0,
    connection_id: null,
    seen_at: null,
    contested_until: null,
    answers: null,
    metrics: null,
    version: '',
    removed: 0,
  } as const;
  const row = await context.transaction(projectScope(project), async (tx) => {
    await refuseImpossible(tx, fixed);
    const made: InfraRow = { ...fixed, start_time: tx.now, ...madeBy(username, tx.now) };
    await tx.db.insertInto('infras').values(made).execute();
    await recordChange(tx, context, { project, kind: 'infra', id: made.id, after: auditedInfra(made) });
    return made;
  });
  const manifest = await manifestOf(row, context);
  return { infraID: row.id, name: row.name, token: manifestToken(row.id, plane), manifest };
}

/** @throws Refusal */
async function refuseImpossible(
  { db }: Tx,
  { project_id, environment_id, name }: Pick<InfraRow, 'project_id' | 'environment_id' | 'name'>,
): Promise<void> {
  const environment = await db
    .selectFrom('environments')
    .select('id')
    .where('project_id', '=', project_id)
    .where('id', '=', environment_id)
    .where('removed', '=', 0)
    .executeTakeFirst();
  if (environment === undefined) {
    throw new Refusal('invalid', 'Invalid EnvironmentID', { fields: ['request.environmentID'] });
  }
  const namesake = await db
    .selectFrom('infras')
    .select('id')
    .where('project_id', '=', project_id)
    .where('name', '=', name)
    .where('removed', '=', 0)
    .executeTakeFirst();
  if (namesake !== undefined) {
    const sentence = 'infra already exists in this project with the same name';
    throw new Refusal('conflict', sentence, { fields: ['request.name'] });
  }
}
