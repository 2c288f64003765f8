/** Artifacts that a workflow wants deleted: pods of an embedded cluster store them in its volume, and a pod deletes them. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { PODS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { isObject } from '@turnsole/kube/text/json';
import type { Artifact } from '@turnsole/workflows/kinds/parameters';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { parse } from 'yaml';
import { type DetachedCluster, detachedCluster } from '../support/up.ts';

const PLACE = { namespace: 'default' };
const FINALIZER = 'workflows.argoproj.io/artifact-gc';

const MAIN = `
    - name: main
      container: { image: busybox, command: [sh, -c], args: ["mkdir -p /tmp/out; echo x > /tmp/out/early; echo x > /tmp/out/late"] }
      outputs:
        artifacts:
          - { name: early, path: /tmp/out/early, artifactGC: { strategy: OnWorkflowCompletion } }
          - { name: late, path: /tmp/out/late }
`;

describe('artifact garbage collection', () => {
  let cluster: DetachedCluster;
  before(async () => {
    cluster = await detachedCluster(['--no-operator']);
  });
  after(() => cluster[Symbol.asyncDispose]());

  const submit = (
    name: string,
    artifactGC: string,
    entrypoint = 'main',
    templates = MAIN,
  ): Promise<unknown> => {
    const spec = parse(
      `spec:\n  entrypoint: ${entrypoint}\n  artifactGC: ${artifactGC}\n  templates:${templates}`,
    );
    const head = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', metadata: { name, ...PLACE } };
    return cluster.client.create(WORKFLOWS, { ...head, ...spec }, PLACE);
  };
  const when = async (name: string, isWanted: (workflow: Workflow) => boolean): Promise<Workflow> => {
    let last: Workflow | undefined;
    const found = await waitForObject<Workflow>(
      cluster.client,
      WORKFLOWS,
      name,
      (one) => {
        last = one;
        return one !== undefined && isWanted(one);
      },
      { ...PLACE, timeoutMs: PATIENCE_MS },
    ).catch((cause: unknown) => {
      throw new Error(`last seen: ${JSON.stringify(last?.status)}`, { cause });
    });
    assert.ok(found);
    return found;
  };
  const gone = (name: string): Promise<unknown> =>
    waitForObject(cluster.client, WORKFLOWS, name, (one) => one === undefined, {
      ...PLACE,
      timeoutMs: PATIENCE_MS,
    });
  const artifact = ({ status }: Workflow, name: string): Artifact | undefined =>
    Object.values(status?.nodes ?? {})
      .flatMap(({ outputs }) => outputs?.artifacts ?? [])
      .find((one) => one.name === name);
  /** The file of an artifact in the cluster's volume. */
  const fileOf = (workflow: Workflow, name: string): string => {
    const reference = workflow.status?.artifactRepositoryRef as {
      readonly artifactRepository: { readonly volume: { readonly hostPath: { readonly path: string } } };
    };
    const volume = artifact(workflow, name)?.volume;
    assert.ok(isObject(volume), JSON.stringify(artifact(workflow, name)));
    return join(reference.artifactRepository.volume.hostPath.path, String(volume.key));
  };
  const errorOf = ({ status }: Workflow): string | undefined =>
    status?.conditions?.find(({ type }) => type === 'ArtifactGCError')?.message;

  it('deletes at the end what is to go then, and the rest with the workflow', async () => {
    await submit('collected', '{ strategy: OnWorkflowDeletion }');
    const early = await when('collected', (one) => artifact(one, 'early')?.deleted === true);
    assert.equal(early.status?.phase, 'Succeeded');
    assert.deepEqual(early.metadata.finalizers, [FINALIZER]);
    assert.equal(existsSync(fileOf(early, 'early')), false);
    assert.equal(existsSync(fileOf(early, 'late')), true);
    assert.equal(artifact(early, 'late')?.deleted, undefined);
    assert.deepEqual(early.status?.artifactGCStatus?.strategiesProcessed, { OnWorkflowCompletion: true });
    await cluster.client.delete(WORKFLOWS, 'collected', PLACE);
    await gone('collected');
    assert.equal(existsSync(fileOf(early, 'late')), false);
    const { items } = await cluster.client.list(PODS, {
      ...PLACE,
      labelSelector: 'workflows.argoproj.io/component',
    });
    assert.deepEqual(items, []);
  });

  it('says which artifacts are still there, and keeps the workflow until it is told otherwise', async () => {
    await submit('kept', '{ strategy: OnWorkflowDeletion, serviceAccountName: nobody }');
    const failed = await when('kept', (one) => errorOf(one) !== undefined);
    assert.match(
      errorOf(failed) ?? '',
      /^artifact early of node kept at \S+early\.tgz \(volume\) is not deleted: the pod kept-artgc-wfcomp-\w+ cannot be made: .*nobody/,
    );
    await cluster.client.delete(WORKFLOWS, 'kept', PLACE);
    const stuck = await when('kept', (one) => errorOf(one)?.includes('artifact late') === true);
    assert.deepEqual(stuck.metadata.finalizers, [FINALIZER]);
    assert.equal(existsSync(fileOf(stuck, 'late')), true);
    const force = { spec: { artifactGC: { forceFinalizerRemoval: true } } };
    await cluster.client.patch(WORKFLOWS, 'kept', 'merge', force, PLACE);
    await gone('kept');
    assert.equal(existsSync(fileOf(stuck, 'late')), true);
  });

  it('ends a workflow that is deleted while it runs, and deletes what it has left by then', async () => {
    const templates = `${MAIN}
    - name: waits
      container: { image: busybox, command: [sleep, "600"] }
    - name: both
      steps: [[{ name: a, template: main }], [{ name: b, template: waits }]]`;
    await submit('cut', '{ strategy: OnWorkflowDeletion }', 'both', templates);
    const running = await when('cut', ({ status }) =>
      Object.values(status?.nodes ?? {}).some(
        ({ displayName, phase }) => displayName === 'b' && phase === 'Running',
      ),
    );
    assert.equal(existsSync(fileOf(running, 'late')), true);
    await cluster.client.delete(WORKFLOWS, 'cut', PLACE);
    await gone('cut');
    for (const name of ['early', 'late']) assert.equal(existsSync(fileOf(running, name)), false, name);
  });
});
