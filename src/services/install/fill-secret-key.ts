import { randomBytes } from 'node:crypto';
import { isConflict } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { SECRETS } from '@turnsole/kube/kinds/resources';
import { CONTROL_PLANE_KEY_SECRET } from './names.ts';

const VARIABLE = 'TURNSOLE_SECRET_KEY';
const KEY_BYTES = 32;

interface Secret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/**
 * Puts the key of the control plane's secrets into its Secret, which must be there. A key that is there stays: with another one the
 * database's secrets could not be opened. Resolves to whether it was made.
 */
export async function fillSecretKey(
  client: KubeClient,
  namespace: string,
  signal: AbortSignal,
): Promise<boolean> {
  const secret = await client.get<Secret>(SECRETS, CONTROL_PLANE_KEY_SECRET, { namespace, signal });
  if (secret.data?.[VARIABLE]) return false;
  const key = randomBytes(KEY_BYTES).toString('base64');
  const data = { ...secret.data, [VARIABLE]: Buffer.from(key).toString('base64') };
  try {
    // With the version that was read: of two installations at once one makes the key.
    await client.update<Secret>(SECRETS, { ...secret, data }, { namespace, signal });
    return true;
  } catch (error) {
    if (!isConflict(error)) throw error;
    return fillSecretKey(client, namespace, signal);
  }
}
