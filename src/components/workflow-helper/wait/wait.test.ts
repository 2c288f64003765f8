/** `init`, the shell around main, and `wait` really run, over folders of a temporary pod. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import type { Artifact } from '@turnsole/workflows/kinds/parameters';
import type { NodeOrder } from '@turnsole/workflows/pods/helper';
import { NodeFixture } from '../testing/node-fixture.ts';
import { mainEnd } from './main-ends.ts';

const PARAMETERS = [
  { name: 'p', valueFrom: { path: '/unused' } },
  { name: 'd', valueFrom: { path: '/unused', default: 'none' } },
];

/** A node whose outputs go to a folder. */
function storing(t: TestContext, artifacts: readonly Artifact[], rest: Partial<NodeOrder> = {}) {
  const folder = '/store';
  const outputs = artifacts.map((artifact) => ({
    artifact,
    target: { ...artifact, volume: { key: `k/${artifact.name}`, folder } },
  }));
  const logs =
    rest.uses?.includes('logs') === true
      ? [
          {
            container: 'main',
            artifact: { name: 'main-logs', volume: { key: 'k/main.log' } },
            target: { name: 'main-logs', volume: { key: 'k/main.log', folder } },
          },
        ]
      : [];
  const node = new NodeFixture(t, { uses: ['outputs'], ...rest });
  const store = node.places.at(folder);
  mkdirSync(store);
  const order = JSON.parse(node.read(node.places.order));
  order.artifacts = { inputs: [], outputs, logs };
  node.write(node.places.order, JSON.stringify(order));
  return { node, store };
}

test('result and parameters: without the last newline, defaults for what is not there', async (t) => {
  const node = new NodeFixture(t, { uses: ['result', 'outputs'], parameters: PARAMETERS });
  const file = join(node.root, 'value');
  const ended = await node.step(
    ['--result', '--parameter', '0', file, '--parameter', '1', `${file}.none`],
    ['sh', '-c', `printf 'a\\n\\n' > ${file}; echo out; echo err >&2`],
  );
  assert.equal(ended.code, 0);
  assert.deepEqual(ended.report, {
    node: 'w-1',
    isComplete: true,
    outputs: {
      result: 'out',
      parameters: [
        { name: 'p', value: 'a\n', valueFrom: { path: '/unused' } },
        { name: 'd', value: 'none', valueFrom: { path: '/unused', default: 'none' } },
      ],
    },
  });
});

test('a file that is missing is an error that names it; what there is is reported', async (t) => {
  const node = new NodeFixture(t, { uses: ['result', 'outputs'], parameters: PARAMETERS.slice(0, 1) });
  const ended = await node.step(['--result', '--parameter', '0', join(node.root, 'none')], ['echo', 'hi']);
  assert.equal(ended.code, 1);
  assert.match(ended.lastWords, /output parameter p: main has left no file \/unused: let it write one/);
  assert.deepEqual(ended.report, { node: 'w-1', isComplete: true, outputs: { result: 'hi' } });
});

test('of a command that failed, nothing has to be there', async (t) => {
  const node = new NodeFixture(t, { uses: ['outputs'], parameters: PARAMETERS });
  const ended = await node.step(['--parameter', '0', join(node.root, 'none')], ['sh', '-c', 'exit 3']);
  assert.deepEqual([ended.code, ended.lastWords], [0, '']);
  assert.deepEqual(
    ended.report?.outputs?.parameters?.map(({ name }) => name),
    ['d'],
  );
});

test('artifacts: a tarball, the folder itself, a zip; logs of both streams', async (t) => {
  const { node, store } = storing(
    t,
    [
      { name: 'tgz', path: '/d' },
      { name: 'plain', path: '/d', archive: { none: {} } },
      { name: 'zip', path: '/d', archive: { zip: {} } },
      { name: 'absent', path: '/e', optional: true },
    ],
    { uses: ['outputs', 'logs'] },
  );
  const made = join(node.root, 'made');
  const options = ['0', '1', '2'].flatMap((index) => ['--artifact', index, made]);
  const ended = await node.step(
    ['--logs', ...options, '--artifact', '3', join(node.root, 'none')],
    ['sh', '-c', `mkdir -p ${made}/sub; echo one > ${made}/sub/f; echo out; echo err >&2`],
  );
  assert.deepEqual([ended.code, ended.lastWords], [0, '']);
  assert.deepEqual(
    ended.report?.outputs?.artifacts?.map(({ name }) => name),
    ['tgz', 'plain', 'zip', 'main-logs'],
  );
  assert.equal(node.read(join(store, 'k/plain/sub/f')), 'one\n');
  const listed = execFileSync('tar', ['-tzf', join(store, 'k/tgz')], { encoding: 'utf8' });
  assert.deepEqual(listed.split('\n').filter(Boolean), ['made/', 'made/sub/', 'made/sub/f']);
  assert.deepEqual(node.read(join(store, 'k/main.log')).split('\n').toSorted(), ['', 'err', 'out']);
  assert.ok(readdirSync(join(store, 'k')).every((name) => !name.startsWith('.')));
});

test('an artifact that is missing is an error that names it', async (t) => {
  const { node } = storing(t, [{ name: 'a', path: '/out' }]);
  const ended = await node.step(['--artifact', '0', join(node.root, 'none')], ['true']);
  assert.equal(ended.code, 1);
  assert.match(ended.lastWords, /output artifact a: main has left nothing at \/out: let it write that/);
});

test('a store that refuses: artifact, key and reason stand in the message', async (t) => {
  const { node } = storing(t, [{ name: 'a', path: '/out' }]);
  const order = node.read(node.places.order).replace('"k/a"', '"../a"');
  node.write(node.places.order, order);
  const ended = await node.step(['--artifact', '0', node.places.order], ['true']);
  assert.match(
    ended.lastWords,
    /output artifact a cannot be stored at \.\.\/a \(volume\): "\.\.\/a" is no key/,
  );
});

test('a shell that is killed leaves no exit code, and nothing is waited for', async (t) => {
  const node = new NodeFixture(t, { uses: ['result'] });
  await node.run('init');
  const waiting = node.run('wait');
  const main = node.start('main', ['--result'], ['sh', '-c', 'kill -9 $PPID']);
  await once(main, 'exit');
  assert.deepEqual((await waiting).report, { node: 'w-1', isComplete: true, outputs: { result: '' } });
});

test('on SIGTERM the wait helper ends when main has not begun, and else waits for its end', async (t) => {
  const node = new NodeFixture(t, { uses: ['result'] });
  const stop = new AbortController();
  const early = node.run('wait', { signal: stop.signal });
  stop.abort(new Error('received SIGTERM'));
  assert.deepEqual([(await early).code, (await early).report], [143, undefined]);

  await node.run('init');
  const later = new AbortController();
  const waiting = node.run('wait', { signal: later.signal });
  const main = node.start(
    'main',
    ['--result'],
    ['sh', '-c', 'trap "echo bye; exit 0" TERM; echo up; while :; do sleep 0.1; done'],
  );
  const stdout = join(node.places.home, 'main', 'stdout');
  await until(
    () => readdirSync(node.places.home).includes('main') && safe(() => node.read(stdout)) === 'up\n',
  );
  later.abort(new Error('received SIGTERM'));
  main.kill('SIGTERM');
  assert.equal((await waiting).report?.outputs?.result, 'up\nbye');
});

test('a command that begins while the wait helper looks for it, and is stopped at once, is waited for', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'turnsole-wait-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const stop = new AbortController();
  const end = mainEnd(home, 'main', stop.signal);
  // The helper has looked, and not yet heard that nothing is there.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  mkdirSync(join(home, 'main'));
  execFileSync('mkfifo', [join(home, 'main', 'alive')]);
  for (const [file, content] of Object.entries({ exitcode: '3', started: '' }))
    writeFileSync(join(home, 'main', file), content);
  stop.abort();
  assert.equal(await end, 3);
});

function safe(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

async function until(isSo: () => boolean): Promise<void> {
  const limit = AbortSignal.timeout(PATIENCE_MS);
  while (!isSo()) {
    limit.throwIfAborted();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('what has ended before anybody looks is found all the same', async (t) => {
  const node = new NodeFixture(t, { uses: ['result'] });
  await node.run('init');
  await once(node.start('main', ['--result'], ['echo', 'early']), 'exit');
  assert.equal((await node.run('wait')).report?.outputs?.result, 'early');
});
