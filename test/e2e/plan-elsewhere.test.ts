/** `turnsole plan` on a cluster that is there: of what the manifests bring nothing runs yet, and nothing is applied. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS, DEPLOYMENTS, SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import type { PlanDocument } from '../../src/services/plan/plan-document.ts';
import { chaosAccount, documents, engine, experiment, webApp } from '../support/manifests.ts';
import { temporaryFolder, turnsole } from '../support/turnsole.ts';
import { applyText, type DetachedCluster, detachedCluster } from '../support/up.ts';

const OWN_IMAGE = 'example.com/acme/turnsole:1';
const OPERATOR = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: turnsole-operator, namespace: default, labels: { turnsole.io/installation: default } }
spec:
  selector: { matchLabels: { app: operator } }
  template:
    metadata: { labels: { app: operator } }
    spec:
      containers:
        - name: operator
          image: ${OWN_IMAGE}
          args: [operator]
          env: [{ name: TURNSOLE_IMAGE, value: '${OWN_IMAGE}' }]
`;

describe('a plan on a cluster that is there', () => {
  let cluster: DetachedCluster;
  before(async () => {
    // A program that stays, whatever further arguments it gets: the operator is known by its Deployment.
    cluster = await detachedCluster(['--isolation', 'none', '--image', `${OWN_IMAGE}=tail -f /dev/null`]);
  });
  after(() => cluster[Symbol.asyncDispose]());

  async function plan(
    texts: readonly string[],
  ): Promise<{ code: number; text: string; document: PlanDocument }> {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'chaos.yaml'), documents(...texts));
    const args = ['plan', folder.path, '--kubeconfig', cluster.kubeconfig];
    const [json, text] = await Promise.all([turnsole([...args, '-o', 'json']), turnsole(args)]);
    assert.equal(json.code, text.code, json.stderr + text.stderr);
    const document = JSON.parse(json.stdout) as PlanDocument;
    return { code: text.code ?? -1, text: text.stdout, document };
  }

  it('counts the pods of a Deployment that a run would apply first', async () => {
    const { code, text, document } = await plan([
      webApp(),
      chaosAccount(),
      experiment('pod-delete'),
      engine({ experiments: [{ name: 'pod-delete', env: { PODS_AFFECTED_PERC: '67' } }] }),
    ]);
    assert.equal(code, 0, text);
    assert.deepEqual(document.engines[0]?.experiments[0]?.targetsToBe, [
      { kind: 'deployment', namespace: 'default', name: 'web', hit: 2, of: 3 },
    ]);
    assert.match(
      text,
      /deployment default\/web would be applied, 2 of 3 pods to be; targets cannot be named before they run/,
    );
    assert.match(text, /Image litmuschaos\/chaos-runner:latest: there/);
    assert.doesNotMatch(text, /no pods found|would be refused/);
    for (const resource of [DEPLOYMENTS, SERVICE_ACCOUNTS]) {
      const { items } = await cluster.client.list(resource, { namespace: 'default' });
      assert.deepEqual(
        items.map(({ metadata }) => metadata.name).filter((name) => name === 'web' || name === 'chaos-sa'),
        [],
      );
    }
  });

  it('still refuses an engine whose labels no pod to be carries', async () => {
    const other = engine({ label: 'app=nothing' });
    const { code, text } = await plan([webApp(), chaosAccount(), experiment('pod-delete'), other]);
    assert.equal(code, 2, text);
    assert.match(text, /no pods found for deployment:default:\[app=nothing\]/);
  });

  it('names the image by which the installed operator replaces that of others', async () => {
    await applyText(cluster.client, OPERATOR);
    const { code, text, document } = await plan([
      webApp(),
      chaosAccount(),
      experiment('pod-delete'),
      engine(),
    ]);
    assert.equal(code, 0, text);
    const images = document.engines[0]?.dependencies.filter(({ kind }) => kind === 'Image') ?? [];
    assert.deepEqual(
      [...new Set(images.map(({ name, state }) => `${name} ${state}`))],
      [`${OWN_IMAGE} present`],
    );
    assert.match(
      text,
      /turnsole:1 \(the installed operator's, in place of litmuschaos\/go-runner:latest\): there/,
    );
    assert.doesNotMatch(text, /not known/);
  });

  it('refuses a setting that the installed definition is too old for, and says how to cure it', async () => {
    type Definition = KubeObject & { spec: { versions: { schema: { openAPIV3Schema: Schema } }[] } };
    const name = 'chaosengines.litmuschaos.io';
    const definition = await cluster.client.get<Definition>(CUSTOM_RESOURCE_DEFINITIONS, name);
    // Items of upstream's definition have properties of their own and keep nothing else.
    const items =
      definition.spec.versions[0]?.schema.openAPIV3Schema.properties?.spec?.properties?.experiments?.items;
    assert.ok(items?.properties);
    delete items.properties.dependsOn;
    delete items['x-kubernetes-preserve-unknown-fields'];
    await cluster.client.update(CUSTOM_RESOURCE_DEFINITIONS, definition);
    const files = [webApp(), chaosAccount(), experiment('pod-delete'), experiment('container-kill')];
    const experiments = [{ name: 'pod-delete' }, { name: 'container-kill' }];
    const plain = engine({ experiments });
    const ordered = plain.replace(
      '- name: container-kill',
      '- name: container-kill\n      dependsOn: [pod-delete]',
    );
    assert.notEqual(ordered, plain);
    const refused = await plan([...files, ordered]);
    assert.equal(refused.code, 2, refused.text);
    const [problem] = refused.document.engines[0]?.problems ?? [];
    assert.equal(problem?.field, 'spec.experiments[].dependsOn');
    assert.match(
      problem?.message ?? '',
      /definition of ChaosEngines is too old and drops .*"turnsole install"/,
    );
    // What is not asked for is not missed.
    assert.equal((await plan([...files, plain])).code, 0);
  });
});

interface Schema {
  readonly properties?: Record<string, Schema | undefined>;
  readonly items?: Schema;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
}
