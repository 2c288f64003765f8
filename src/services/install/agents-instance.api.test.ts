/** Whom the installed workflow controller serves, of objects as an agent's manifest makes them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import { startApi } from '@turnsole/kube/testing/api';
import { agentConfig } from './agent/agent-config.ts';
import type { Registration } from './agent/registration.ts';
import { agentsInstance } from './agents-instance.ts';
import { applyObjects } from './apply-objects.ts';
import type { InstallObject } from './install-object.ts';
import { compileInstallSettings } from './settings.ts';
import { workflowObjects } from './workflow-objects.ts';

const namespace = 'default';
const INFRA = 'd0a3c4d2-0000-4000-8000-000000000001';
const { signal } = new AbortController();

test('the instance id of the agent of the namespace is kept, and no other one', async () => {
  await using api = await startApi(createApiServer);
  const { client } = api;
  const apply = (objects: readonly InstallObject[]): Promise<void> =>
    applyObjects(objects, { client, kinds: new KindResolver(client), signal, onApplied: () => {} });
  const controller = (instanceId?: string): Promise<void> => {
    const options = { namespace, ...(instanceId !== undefined && { instanceId }) };
    return apply(workflowObjects(compileInstallSettings(options, { version: '1.2.3', faults: [] }).settings));
  };
  const found = (): Promise<string | undefined> => agentsInstance(client, { namespace }, signal);

  assert.equal(await found(), undefined);
  await controller(INFRA);
  assert.equal(await found(), undefined, 'a controller without an agent');
  const registration: Registration = {
    ...{ infraID: INFRA, accessKey: 'key', isConfirmed: true, scope: 'cluster', namespace },
    ...{ serviceAccount: 'litmus', namespaceExists: true, serviceAccountExists: true, startTime: 1_000 },
    ...{ serverAddress: 'http://server/query', version: '3.31.0', skipSsl: false, ca: undefined },
    ...{ nodeSelector: {}, tolerations: [], image: 'turnsole/turnsole:1.0.0' },
  };
  await apply(agentConfig(registration, []));
  assert.equal(await found(), INFRA);
  await controller('another');
  assert.equal(await found(), undefined, 'a controller of others');
  await controller();
  assert.equal(await found(), undefined, 'a controller of workflows without an instance id');
});
