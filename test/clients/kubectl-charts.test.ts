import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { type ClientCluster, Kubectl, kubectlMissing, PATIENT, startClientCluster } from './harness.ts';

const SHAPES = new URL('chart-shapes.yaml', import.meta.url);

describe('kubectl: manifests as charts have them', { skip: kubectlMissing, timeout: 600_000 }, () => {
  let cluster: ClientCluster;
  let input: string;

  before(async () => {
    cluster = await startClientCluster(1, 'simulated');
    input = await readFile(SHAPES, 'utf8');
  });
  after(() => cluster.close());

  const outcomes = (said: string): string[] => [
    ...new Set(
      said
        .trim()
        .split('\n')
        .map((line) => line.replace(/^\S+ /, '')),
    ),
  ];

  it('are created', async () => {
    const kubectl = new Kubectl(cluster, await cluster.namespace());
    assert.deepEqual(outcomes(await kubectl.ok('create -f -', [], { input })), ['created']);
    await kubectl.ok(`wait pod/pg-0 --for=condition=Ready ${PATIENT}`);
    assert.equal(
      await kubectl.get('statefulset/pg', '.spec.volumeClaimTemplates[0].kind'),
      'PersistentVolumeClaim',
    );
    assert.equal(await kubectl.get('pvc/data-pg-0', '.status.phase'), 'Bound');
  });

  it('are applied, again without a difference, and then by the server', async () => {
    const kubectl = new Kubectl(cluster, await cluster.namespace());
    assert.deepEqual(outcomes(await kubectl.ok('apply -f -', [], { input })), ['created']);
    assert.equal(await kubectl.ok('diff -f -', [], { input }), '');
    const applied = await kubectl.run('apply --server-side --force-conflicts -f -', [], { input });
    assert.equal(applied.code, 0, applied.stderr);
    // What kubectl owned by its own way of applying becomes the server's, which it says when that fails.
    assert.doesNotMatch(applied.stderr, /failed to re-apply/);
    assert.deepEqual(outcomes(applied.stdout), ['serverside-applied']);
    assert.equal(await kubectl.ok('diff --server-side -f -', [], { input }), '');
  });

  it('are applied by the server from the beginning', async () => {
    const kubectl = new Kubectl(cluster, await cluster.namespace());
    const said = await kubectl.ok('apply --server-side --dry-run=server -f -', [], { input });
    assert.deepEqual(outcomes(said), ['serverside-applied (server dry run)']);
  });
});
