import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import { createContext } from '@turnsole/kube/controllers/context';
import type { CustomResourceDefinition } from '@turnsole/kube/controllers/discovery';
import { Monitors } from '@turnsole/kube/controllers/monitors';
import { isConditionTrue } from '@turnsole/kube/kinds/conditions';
import { CUSTOM_RESOURCE_DEFINITIONS, type Resource } from '@turnsole/kube/kinds/resources';
import { silentLogger, systemClock, waitForObject } from '@turnsole/kube/runtime/index';
import { startApi } from '@turnsole/kube/testing/api';
import { changedClient } from '@turnsole/kube/testing/changed-client';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';

const GROUP = 'test.turnsole.io';
const DEFINITION = `things.${GROUP}`;

async function define(client: KubeClient): Promise<void> {
  const version = { name: 'v1', served: true, storage: true };
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
  const spec = { group: GROUP, scope: 'Cluster' as const, names, versions: [{ ...version, schema }] };
  await client.create<CustomResourceDefinition>(CUSTOM_RESOURCE_DEFINITIONS, {
    metadata: { name: DEFINITION },
    spec,
  });
  await waitForObject<CustomResourceDefinition>(
    client,
    CUSTOM_RESOURCE_DEFINITIONS,
    DEFINITION,
    (found) => isConditionTrue(found?.status?.conditions, 'Established'),
    { timeoutMs: PATIENCE_MS },
  );
}

/** Called before the client reads a path or lists a resource. */
interface Interference {
  read?(path: string): Promise<void>;
  list?(resource: Resource): Promise<void>;
}

function interferedWith(client: KubeClient, { read, list }: Interference): KubeClient {
  const changed: Pick<KubeClient, 'raw' | 'list'> = {
    raw: async (method, path, ...rest) => {
      await read?.(path);
      return client.raw(method, path, ...rest);
    },
    list: async (resource, options) => {
      await list?.(resource);
      return client.list(resource, options);
    },
  };
  return changedClient(client, changed);
}

/** The names of what monitors follow that start while something interferes. */
async function followed(client: KubeClient, interference: Interference): Promise<string[]> {
  const basics = { clock: systemClock, random: () => 0, logger: silentLogger };
  const context = createContext({ client: interferedWith(client, interference), ...basics });
  const monitors = new Monitors(context);
  context.informers.start();
  try {
    await monitors.whenSynced(AbortSignal.timeout(PATIENCE_MS));
    return monitors.resources().map(({ plural }) => plural);
  } finally {
    monitors.stop();
    await context.informers.stop();
  }
}

test('a definition that is deleted while its group is discovered does not keep the monitors from starting', async () => {
  await using api = await startApi(createApiServer);
  await define(api.client);
  const names = await followed(api.client, {
    read: async (path) => {
      if (path.startsWith(`/apis/${GROUP}`)) await api.client.delete(CUSTOM_RESOURCE_DEFINITIONS, DEFINITION);
    },
  });
  assert.ok(names.includes('pods') && !names.includes('things'), names.join());
});

test('a definition that is deleted before its objects are listed does not keep the monitors from starting', async () => {
  await using api = await startApi(createApiServer);
  await define(api.client);
  const names = await followed(api.client, {
    list: async ({ plural }) => {
      if (plural === 'things') await api.client.delete(CUSTOM_RESOURCE_DEFINITIONS, DEFINITION);
    },
  });
  assert.ok(names.includes('pods') && !names.includes('things'), names.join());
});

test('a discovery that fails is tried again', async () => {
  await using api = await startApi(createApiServer);
  let failures = 2;
  const names = await followed(api.client, {
    read: async (path) => {
      if (path === '/api/v1' && failures-- > 0) throw new Error('the connection broke');
    },
  });
  assert.ok(names.includes('pods'), names.join());
});
