import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import { startApi } from '@turnsole/kube/testing/api';
import { BadInputError } from '../errors.ts';
import { applyManifests } from './apply.ts';
import { parseManifests } from './load.ts';

const CONFIG = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: c, namespace: litmus }\n';
const NAMESPACE = 'apiVersion: v1\nkind: Namespace\nmetadata: { name: litmus }\n---\n';

test('an object of a namespace that does not exist is refused with what to add to the files, which then works', async () => {
  await using api = await startApi(createApiServer);
  const { client } = api;
  const { signal } = new AbortController();
  const apply = (text: string) =>
    applyManifests(parseManifests('a.yaml', text, []), {
      ...{ client, kinds: new KindResolver(client), namespace: 'default', signal },
    });
  await assert.rejects(apply(CONFIG), (error: unknown) => {
    assert.ok(error instanceof BadInputError);
    const [problem] = error.problems;
    assert.ok(problem !== undefined);
    const { code, object, message } = problem;
    assert.deepEqual([code, object], ['REFUSED_BY_CLUSTER', 'ConfigMap litmus/c']);
    assert.match(
      message,
      /namespaces "litmus" not found; add a Namespace litmus to the files, and the ServiceAccounts/,
    );
    return true;
  });
  assert.equal((await apply(NAMESPACE + CONFIG)).length, 2);
  await assert.rejects(
    apply('apiVersion: v1\nkind: ConfigMap\nmetadata: { name: "Not a name" }\n'),
    (error: unknown) => {
      assert.ok(error instanceof BadInputError);
      assert.doesNotMatch(error.problems[0]?.message ?? '', /add a Namespace/);
      return true;
    },
  );
});

test('where the kinds of chaos are not installed, the refusal says what brings them', async () => {
  await using api = await startApi(createApiServer);
  const { client } = api;
  const { signal } = new AbortController();
  const context = { client, kinds: new KindResolver(client), namespace: 'default', signal };
  const messageFor = async (apiVersion: string): Promise<string | undefined> => {
    const text = `apiVersion: ${apiVersion}\nkind: ChaosExperiment\nmetadata: { name: a }\n`;
    try {
      await applyManifests(parseManifests('a.yaml', text, []), context);
    } catch (error) {
      assert.ok(error instanceof BadInputError);
      return error.problems[0]?.message;
    }
    return undefined;
  };
  const missing = 'is a CustomResourceDefinition missing?';
  assert.equal(
    await messageFor('litmuschaos.io/v1alpha1'),
    `the cluster serves no API litmuschaos.io/v1alpha1; ${missing} "turnsole install" brings it`,
  );
  assert.equal(await messageFor('example.org/v1'), `the cluster serves no API example.org/v1; ${missing}`);
});
