import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFlags } from '../../process/flags.ts';
import { UsageError } from '../../process/usage-error.ts';
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
