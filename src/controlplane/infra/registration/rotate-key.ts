import { audit } from '../../access/audit.ts';
import { type Context, memberOf } from '../../access/context.ts';
import { Refusal } from '../../access/refusal.ts';
import { keyHash } from '../../access/secret-box.ts';
import type { RotateInfraKeyResponse } from '../../schema/generated/types.ts';
import { projectScope } from '../../store/store.ts';
import type { InfraRow } from '../../store/tables/infras.ts';
import type { Tx } from '../../store/transaction.ts';
import { NEW_KEY } from '../connection/pending-actions.ts';
import { agentTopic } from '../enqueue-action.ts';
import { auditedInfra, infraRowOf } from '../infras.ts';
import { askOwn } from '../live/ask-own.ts';
import { ACCESS_KEY } from '../manifest/access-key.ts';
import { secretManifest } from '../manifest/manifest.ts';
import { KEY_BYTES } from './register-infra.ts';

/**
 * Replaces the key of an infrastructure's agent. The former key is worth nothing from the moment of the write. The new one goes to the agent
 * that is connected then, unless somebody else was connected with the same key lately: that may be who the key is changed for.
 *
 * @throws Refusal
 */
export async function rotateKey(
  infra: string,
  handOver: boolean,
  context: Context,
): Promise<RotateInfraKeyResponse> {
  const { plane } = context;
  const { project } = memberOf(context);
  const before = await infraRowOf(plane.store.read, project, infra);
  const accessKey = plane.ids.secret(KEY_BYTES);
  const replace = async (tx: Tx): Promise<void> => {
    const row = await infraRowOf(tx.db, project, infra);
    // The agent of a key that changed meanwhile is another one, and gets nothing.
    if (row.access_key_hash !== before.access_key_hash) throw changedMeanwhile(row);
    await replaceKey(tx, context, row, accessKey);
  };
  const problem = await handedOver(before, handOver, replace, context);
  if (problem !== undefined && !(await isReplaced(accessKey, infra, context))) {
    await context.transaction(projectScope(project), replace);
  }
  return {
    infraID: infra,
    isHandedOver: problem === undefined,
    message:
      problem === undefined
        ? 'the former key is worth nothing any more; the agent has the new one'
        : `the former key is worth nothing any more; the agent has not got the new one: ${problem}. ${nextStep(before)}`,
    secret: await secretManifest(before, accessKey, context),
  };
}

/** Replaces the key and hands it over. @returns why it was not handed over; undefined when the agent has stored it */
async function handedOver(
  row: InfraRow,
  handOver: boolean,
  together: (tx: Tx) => Promise<void>,
  context: Context,
): Promise<string | undefined> {
  if (!handOver) return 'it was not to be handed over';
  const { now } = context.plane.clock;
  if (row.contested_until !== null && row.contested_until > now()) {
    return 'two agents with its key were connected lately, and which of them is the right one is not known';
  }
  const data = { connection: row.connection_id };
  try {
    await askOwn(
      { infra: row.id, type: NEW_KEY, data, ability: 'take a new key over its connection', together },
      context,
    );
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal) || (error.code !== 'unavailable' && error.code !== 'timed-out'))
      throw error;
    return error.message;
  }
}

async function replaceKey(tx: Tx, context: Context, row: InfraRow, accessKey: string): Promise<void> {
  const { secrets } = context.plane;
  const { id, project_id: project } = row;
  await tx.db
    .updateTable('infras')
    .set({
      access_key_hash: keyHash(accessKey),
      sealed_access_key: secrets.seal(ACCESS_KEY, accessKey),
      former_key_hash: null,
      key_rotated_at: tx.now,
      contested_until: null,
    })
    .where('id', '=', id)
    .execute();
  // An earlier new key that no agent has taken.
  await tx.db.deleteFrom('actions').where('infra_id', '=', id).where('request_type', '=', NEW_KEY).execute();
  await audit(tx, context, { project, kind: 'infra', id, after: auditedInfra(row) });
  await tx.change({ project, kind: 'infra', id });
  tx.wake(agentTopic(id));
}

async function isReplaced(accessKey: string, infra: string, { plane }: Context): Promise<boolean> {
  const row = await plane.store.read
    .selectFrom('infras')
    .select('access_key_hash')
    .where('id', '=', infra)
    .executeTakeFirst();
  return row?.access_key_hash === keyHash(accessKey);
}

function nextStep({ flavour, namespace }: Pick<InfraRow, 'flavour' | 'namespace'>): string {
  const apply = 'Apply the Secret of this answer in its cluster (kubectl apply -f -)';
  return flavour === 'turnsole'
    ? `${apply}: the agent reads it within five minutes`
    : `${apply}, then restart what reads it: kubectl -n ${namespace} rollout restart deployment/subscriber deployment/event-tracker`;
}

function changedMeanwhile({ name }: Pick<InfraRow, 'name'>): Refusal {
  return new Refusal(
    'conflict',
    `the key of ${name} was not changed: its agent or another member has just changed it; look, and try again`,
  );
}
