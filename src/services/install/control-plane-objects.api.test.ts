/** The control plane's objects against an API server that checks them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { PERSISTENT_VOLUME_CLAIMS, SECRETS } from '@turnsole/kube/kinds/resources';
import { startApi } from '@turnsole/kube/testing/api';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { applyObjects } from './apply-objects.ts';
import { controlPlaneObjects } from './control-plane-objects.ts';
import { fillSecretKey } from './fill-secret-key.ts';
import { CONTROL_PLANE_KEY_SECRET, CONTROL_PLANE_NAME } from './names.ts';
import { removeObjects } from './remove-objects.ts';
import { compileInstallSettings } from './settings.ts';

const namespace = 'default';
const { signal } = new AbortController();

test('installing again keeps the key, and so does uninstalling unless its data is to go', async () => {
  await using api = await startApi(createApiServer);
  const { client } = api;
  const { settings } = compileInstallSettings(
    { namespace, controlPlane: true },
    { version: '1.2.3', faults: [] },
  );
  const plane = settings.controlPlane;
  assert.ok(plane);
  const install = async (): Promise<boolean> => {
    const objects = controlPlaneObjects(settings, plane);
    await applyObjects(objects, { client, kinds: new KindResolver(client), signal, onApplied: () => {} });
    return fillSecretKey(client, namespace, signal);
  };
  const keyNow = async (): Promise<string | undefined> => {
    const secret = await client.find<KubeObject & { readonly data?: Record<string, string> }>(
      SECRETS,
      CONTROL_PLANE_KEY_SECRET,
      { namespace },
    );
    return secret?.data?.['TURNSOLE_SECRET_KEY'];
  };
  const hasClaim = async (): Promise<boolean> =>
    (await client.find(PERSISTENT_VOLUME_CLAIMS, CONTROL_PLANE_NAME, { namespace })) !== undefined;
  const remove = (keepData: boolean): Promise<void> =>
    removeObjects({ client, namespace, keepData, timeoutMs: PATIENCE_MS, signal, say: () => {} });

  assert.equal(await install(), true);
  const made = await keyNow();
  assert.equal(Buffer.from(Buffer.from(made ?? '', 'base64').toString(), 'base64').length, 32);
  assert.equal(await install(), false);
  assert.equal(await keyNow(), made);

  await remove(true);
  assert.deepEqual([await keyNow(), await hasClaim()], [made, true]);
  await remove(false);
  assert.deepEqual([await keyNow(), await hasClaim()], [undefined, false]);
});
