import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createClient } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import { CONFIG_MAPS, NAMESPACES } from '@turnsole/kube/kinds/resources';
import { CHAOS_ENGINES } from '../../api/index.ts';
import { startChaosCluster } from '../../embedded/index.ts';
import { parseKubectl } from './arguments.ts';
import { runKubectl } from './run-kubectl.ts';

const WEEK_MS = 604_800_000;
const PLAIN = { files: [], objects: [], kinds: [], ignoreNotFound: false, wait: true, timeoutMs: WEEK_MS };

for (const [line, expected] of [
  ['apply -f /tmp/ -n litmus', { verb: 'apply', files: ['/tmp/'], namespace: 'litmus' }],
  ['apply -f a.yaml --filename=b.yaml', { verb: 'apply', files: ['a.yaml', 'b.yaml'] }],
  ['-nlitmus create -f -', { verb: 'create', files: ['-'], namespace: 'litmus' }],
  [
    'delete chaosengine -l workflow_run_id=1 -n litmus',
    { verb: 'delete', kinds: ['chaosengine'], selector: 'workflow_run_id=1', namespace: 'litmus' },
  ],
  [
    'delete chaosengine a b',
    { verb: 'delete', objects: [named('chaosengine', 'a'), named('chaosengine', 'b')] },
  ],
  ['delete po/a cm/b', { verb: 'delete', objects: [named('po', 'a'), named('cm', 'b')] }],
  ['delete pods,cm --all --wait=false', { verb: 'delete', kinds: ['pods', 'cm'], wait: false }],
  [
    'delete cm a --ignore-not-found --timeout=5s',
    { verb: 'delete', objects: [named('cm', 'a')], ignoreNotFound: true, timeoutMs: 5000 },
  ],
  [
    'get deployment -l app=web -n shop -o name',
    { verb: 'get', kinds: ['deployment'], selector: 'app=web', namespace: 'shop' },
  ],
  ['get pods -o name', { verb: 'get', kinds: ['pods'] }],
  ['get pods/a -o name', { verb: 'get', objects: [named('pods', 'a')] }],
] as const) {
  it(`kubectl ${line}`, () => assert.deepEqual(parseKubectl(line.split(' ')), { ...PLAIN, ...expected }));
}

for (const [line, message] of [
  [
    'describe pods',
    /unknown command "describe"; this kubectl knows apply, create, delete, get\. Install kubectl/,
  ],
  ['get pods', /this kubectl gets with -o name alone; install kubectl/],
  ['get pods -o yaml', /this kubectl gets with -o name alone; install kubectl/],
  ['apply -f a -o name', /this kubectl gets with -o name alone; install kubectl/],
  ['apply -k dir', /this kubectl has no flag -k; install kubectl/],
  ['apply', /must specify one of -f/],
  ['delete', /must specify one of -f and a resource/],
  ['delete pods', /no name was specified/],
  ['delete pods a/b c', /"pods" is no TYPE\/NAME/],
  ['delete -f a b', /-f and names exclude each other; found b/],
  ['apply -f', /flag needs an argument: -f/],
  ['delete cm a --wait=maybe', /expected true or false/],
] as const) {
  it(`kubectl ${line} is refused`, () => assert.throws(() => parseKubectl(line.split(' ')), message));
}

function named(kind: string, name: string) {
  return { kind, name };
}

describe('kubectl against a cluster', () => {
  let cluster: Awaited<ReturnType<typeof startChaosCluster>>;
  let client: KubeClient;
  let folder: string;
  before(async () => {
    cluster = await startChaosCluster({ nodes: 1, runtime: 'simulated' });
    client = createClient(cluster.adminConfig);
    folder = await mkdtemp(join(tmpdir(), 'turnsole-kubectl-'));
  });
  after(async () => {
    client.close();
    await cluster.close({ graceMs: 0 });
    await rm(folder, { recursive: true, force: true });
  });

  const kubectl = (...argv: readonly string[]) => kubectlIn({}, ...argv);

  async function kubectlIn(env: Readonly<Record<string, string>>, ...argv: readonly string[]) {
    const [out, err] = [[] as string[], [] as string[]];
    const io = {
      client,
      write: (line: string) => out.push(line),
      complain: (line: string) => err.push(line),
    };
    return { code: await runKubectl(argv, env, { ...io, namespace: 'default' }), out, err: err.join('\n') };
  }

  it('applies a folder, says what has changed, and deletes what is in it', async () => {
    const config = (value: string): string =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: one }\ndata: { key: ${value} }\n`;
    await writeFile(join(folder, 'one.yaml'), config('a'));
    await writeFile(
      join(folder, 'two.json'),
      '{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"two"}}',
    );
    await writeFile(join(folder, 'notes.txt'), 'no manifest');
    const apply = async (): Promise<string[]> => (await kubectl('apply', '-f', folder)).out;
    assert.deepEqual(await apply(), ['configmap/one created', 'serviceaccount/two created']);
    assert.deepEqual(await apply(), ['configmap/one unchanged', 'serviceaccount/two unchanged']);
    await writeFile(join(folder, 'one.yaml'), config('b'));
    assert.deepEqual((await apply())[0], 'configmap/one configured');
    const again = await kubectl('create', '-f', join(folder, 'one.yaml'));
    assert.equal(again.code, 1);
    assert.match(again.err, /^error: from server \(AlreadyExists\)/);
    assert.deepEqual((await kubectl('get', 'cm/one', '-o', 'name')).out, ['configmap/one']);
    assert.deepEqual((await kubectl('get', 'cm', '-l', 'app=none', '-o', 'name')).out, []);
    assert.match((await kubectl('get', 'cm', 'two', '-o', 'name')).err, /^error: from server \(NotFound\)/);
    const gone = await kubectl('delete', '-f', folder);
    assert.deepEqual(gone.out, ['configmap "one" deleted', 'serviceaccount "two" deleted']);
  });

  it('is over only when a namespace is gone with all that is in it', async () => {
    await client.create(NAMESPACES, { metadata: { name: 'shop' } });
    assert.equal((await kubectl('delete', 'ns', 'shop')).code, 0);
    assert.equal(await client.find(NAMESPACES, 'shop'), undefined);
  });

  it('deletes by selector, and is content when nothing matches', async () => {
    const engine = {
      metadata: { name: 'web', labels: { workflow_run_id: 'abc' } },
      spec: { chaosServiceAccount: 'x', experiments: [{ name: 'pod-delete' }] },
    };
    await client.create(CHAOS_ENGINES, engine, { namespace: 'default' });
    const flags = ['-l', 'workflow_run_id=abc', '-n', 'default'];
    const first = await kubectl('delete', 'chaosengine', ...flags);
    assert.deepEqual([first.code, first.out], [0, ['chaosengine.litmuschaos.io "web" deleted']]);
    const second = await kubectl('delete', 'chaosengines.litmuschaos.io', ...flags);
    assert.deepEqual([second.code, second.out], [0, ['No resources found']]);
  });

  for (const verb of ['apply', 'create']) {
    it(`in a step of a workflow, an engine that it is to ${verb} belongs to the trace of the step, and nothing else does`, async () => {
      const span = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
      const file = join(await mkdtemp(join(folder, 'traced-')), 'both.yaml');
      const engine = `apiVersion: litmuschaos.io/v1alpha1\nkind: ChaosEngine\nmetadata: { name: ${verb} }\n`;
      const spec = 'spec: { chaosServiceAccount: x, experiments: [{ name: pod-delete }] }\n';
      await writeFile(
        file,
        `${engine}${spec}---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: of-${verb} }\n`,
      );
      const received = JSON.stringify({ traceparent: span });
      assert.equal((await kubectlIn({ TRACE_PARENT: received }, verb, '-f', file)).code, 0);
      const place = { namespace: 'default' };
      const made = await client.get(CHAOS_ENGINES, verb, place);
      assert.equal(made.metadata.annotations?.['turnsole.io/trace-parent'], received);
      const other = await client.get(CONFIG_MAPS, `of-${verb}`, place);
      assert.equal(other.metadata.annotations?.['turnsole.io/trace-parent'], undefined);
    });
  }

  it('fails for an object and for a kind that are not there', async () => {
    const missing = await kubectl('delete', 'cm', 'nothing');
    assert.equal(missing.code, 1);
    assert.match(missing.err, /^error: from server \(NotFound\): configmaps "nothing" not found$/);
    assert.equal((await kubectl('delete', 'cm', 'nothing', '--ignore-not-found')).code, 0);
    const unknown = await kubectl('delete', 'motors', 'a');
    assert.equal(unknown.err, `error: the server doesn't have a resource type "motors"`);
  });

  it('waits for finalizers as long as it may', async () => {
    const held = { metadata: { name: 'held', finalizers: ['example.com/x'] } };
    await client.create(CONFIG_MAPS, held, { namespace: 'default' });
    const late = await kubectl('delete', 'configmap/held', '--timeout=1ms');
    assert.equal(late.code, 1);
    assert.match(late.err, /waited 1 ms/);
    assert.equal((await kubectl('delete', 'configmap/held', '--wait=false')).code, 0);
    await client.patch(
      CONFIG_MAPS,
      'held',
      'merge',
      { metadata: { finalizers: null } },
      { namespace: 'default' },
    );
  });
});
