import assert from 'node:assert/strict';
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createLogger, silentLogger } from '@turnsole/kube/base/log';
import { readFlags } from '../../process/flags.ts';
import { UsageError } from '../../process/usage-error.ts';
import { subscriberMetrics } from './metrics.ts';
import { openSpool } from './open-spool.ts';
import { FLAGS, readSettings, type SubscriberSettings } from './settings.ts';
import { environment } from './testing/infrastructure.ts';

function read(change: Record<string, string | undefined> = {}): SubscriberSettings {
  const env = { ...environment('litmus', 'http://chaos.example/query', '/tmp/spool'), ...change };
  return readSettings(readFlags('subscriber', [], FLAGS), env);
}

test('the environment of an infrastructure is taken, with defaults that allow chaos in its namespace only', () => {
  const settings = read();
  assert.equal(settings.isClusterScoped, false);
  assert.deepEqual(settings.components, ['app=workflow-controller']);
  assert.deepEqual([...settings.allowed.namespaces], ['litmus']);
  assert.ok(settings.allowed.kinds.has('Workflow.argoproj.io'));
  assert.equal(settings.spoolBytes, 64 * 1024 * 1024);
  assert.deepEqual([...read({ ALLOWED_NAMESPACES: 'a, b' }).allowed.namespaces], ['a', 'b']);
});

test('the spool of a pod that is a plain local process lies in its own files, or in the volume that SPOOL_DIR names', async () => {
  await using root = await mkdtempDisposable(join(tmpdir(), 'turnsole-test-'));
  const inPod = { TURNSOLE_POD_ROOT: root.path, SPOOL_DIR: undefined };
  assert.equal(read(inPod).spoolFolder, join(root.path, 'var/spool/turnsole'));
  const mounted = join(root.path, 'data/spool');
  const named = { ...inPod, SPOOL_DIR: '/data/spool' };
  assert.equal(read(named).spoolFolder, '/data/spool');
  await mkdir(mounted, { recursive: true });
  assert.equal(read(named).spoolFolder, mounted);
  assert.equal(read({ SPOOL_DIR: undefined }).spoolFolder, '/var/spool/turnsole');
});

test('without a folder that can be written, and none asked for, events wait in memory, which is logged', async () => {
  await using root = await mkdtempDisposable(join(tmpdir(), 'turnsole-test-'));
  await writeFile(join(root.path, 'var'), '');
  const settings = read({ TURNSOLE_POD_ROOT: root.path, SPOOL_DIR: undefined });
  const lines: string[] = [];
  const spool = await openSpool({
    settings,
    logger: createLogger({ component: 'subscriber', write: (line) => lines.push(line) }),
    metrics: subscriberMetrics(),
    onDropped: () => false,
  });
  assert.match(lines.join(), /ENOTDIR.*events wait in memory: .* SPOOL_DIR/);
  await spool.append('run', Buffer.from('state'), true);
  const [entry] = spool.entries();
  assert.equal((entry && (await spool.take(entry)))?.toString(), 'state');
  await spool.close();
});

test('a spool that cannot be there is refused by the name of its setting', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'turnsole-test-'));
  await writeFile(join(folder.path, 'file'), '');
  const settings = read({ SPOOL_DIR: join(folder.path, 'file/spool') });
  const metrics = subscriberMetrics();
  await assert.rejects(
    openSpool({ settings, logger: silentLogger, metrics, onDropped: () => false }),
    (error) => error instanceof UsageError && /^SPOOL_DIR must name a folder .*ENOTDIR/.test(error.message),
  );
});

const REFUSED: readonly (readonly [change: Record<string, string | undefined>, message: RegExp])[] = [
  [{ INFRA_ID: undefined }, /^required key INFRA_ID missing value/],
  [{ ACCESS_KEY: '' }, /^required key ACCESS_KEY missing value/],
  [{ SERVER_ADDR: 'chaos' }, /^SERVER_ADDR must be the address/],
  [{ SERVER_ADDR: 'http://user:secret@chaos/query' }, /^SERVER_ADDR must not hold/],
  [{ INFRA_SCOPE: 'galaxy' }, /^INFRA_SCOPE must be cluster or namespace, not "galaxy"/],
  [{ START_TIME: 'yesterday' }, /^START_TIME must be milliseconds/],
  [{ COMPONENTS: '{' }, /^COMPONENTS must be YAML/],
  [{ COMPONENTS: 'a: b' }, /^COMPONENTS must be YAML .* no such list/],
  [{ COMPONENTS: 'DEPLOYMENTS: ["a=b=c"]' }, /^COMPONENTS must be YAML/],
  [{ ALLOWED_KINDS: 'Work flow' }, /^ALLOWED_KINDS: "Work flow" is no name/],
  [{ SPOOL_LIMIT_MIB: '1' }, /^SPOOL_LIMIT_MIB must be a whole number of MiB, at least 4/],
  [{ LOG_LIMIT_MIB: 'much' }, /^LOG_LIMIT_MIB must be/],
  [{ SKIP_SSL_VERIFY: 'perhaps' }, /^SKIP_SSL_VERIFY must be true or false/],
  [{ CUSTOM_TLS_CERT: 'bm9uZQ==' }, /^CUSTOM_TLS_CERT must be certificates/],
];

for (const [change, message] of REFUSED) {
  test(`refused: ${JSON.stringify(change)}`, () => {
    assert.throws(
      () => read(change),
      (error) =>
        error instanceof UsageError && message.test(error.message) && !error.message.includes('secret@'),
    );
  });
}
