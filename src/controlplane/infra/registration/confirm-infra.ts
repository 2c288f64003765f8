import type { Identity } from '../../access/agent-identity.ts';
import { audit } from '../../access/audit.ts';
import type { Context } from '../../access/context.ts';
import { Refusal } from '../../access/refusal.ts';
import { keyHash, keyMatches } from '../../access/secret-box.ts';
import type { ConfirmInfraRegistrationResponse } from '../../schema/generated/types.ts';
import { projectScope } from '../../store/store.ts';
import type { InfraRow } from '../../store/tables/infras.ts';
import { infraChange, NEW_INFRA } from '../infra-events.ts';
import { auditedInfra, infraRow } from '../infras.ts';
import { ACCESS_KEY } from '../manifest/access-key.ts';
import { KEY_BYTES } from './register-infra.ts';

/**
 * Replaces the key of an agent that has the right one. An agent that was killed before it stored the new key sends the former one
 * again, and gets another; the former key becomes invalid when an agent connects with the new one.
 *
 * @throws Refusal if the version does not fit the server's
 */
export async function confirmInfra(
  { infraID, accessKey, version }: Identity,
  context: Context,
): Promise<ConfirmInfraRegistrationResponse> {
  const { plane } = context;
  const { store, ids, secrets, settings } = plane;
  if (version !== settings.version) {
    const text = `ERROR: INFRA VERSION MISMATCH (need ${settings.version} got ${version})`;
    throw new Refusal('forbidden', text);
  }
  const known = await infraRow(store.read, infraID);
  if (!mayConfirm(known, accessKey)) return { isInfraConfirmed: false, newAccessKey: null, infraID: null };
  const newAccessKey = ids.secret(KEY_BYTES);
  const { project_id: project } = known;
  const isConfirmed = await store.transaction(projectScope(project), async (tx) => {
    const row = await infraRow(tx.db, infraID);
    if (!mayConfirm(row, accessKey)) return false;
    const after = {
      access_key_hash: keyHash(newAccessKey),
      sealed_access_key: secrets.seal(ACCESS_KEY, newAccessKey),
      former_key_hash: keyHash(accessKey),
      registered: 1,
      confirmed: 1,
      version,
      updated_at: tx.now,
    } as const;
    await tx.db.updateTable('infras').set(after).where('id', '=', infraID).execute();
    await audit(tx, context, { project, kind: 'infra', id: infraID, after: auditedInfra(row) });
    await tx.change(infraChange(row, NEW_INFRA));
    return true;
  });
  if (!isConfirmed) return { isInfraConfirmed: false, newAccessKey: null, infraID: null };
  return { isInfraConfirmed: true, newAccessKey, infraID };
}

function mayConfirm(row: InfraRow | undefined, accessKey: string): row is InfraRow {
  const isPresent = keyMatches(accessKey, row?.access_key_hash ?? null);
  const isFormer = keyMatches(accessKey, row?.former_key_hash ?? null);
  return row !== undefined && (isPresent || isFormer);
}
