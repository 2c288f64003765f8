import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readFlags } from '../../process/flags.ts';
import { CertificateFiles } from '../../process/http/certificate-files.ts';
import { FLAGS, readExporterSettings } from './settings.ts';

const read = (env: Record<string, string>, argv: readonly string[] = []) =>
  readExporterSettings(readFlags('exporter', argv, FLAGS), env);

const DEFAULTS = {
  metricsAddress: { port: 8080 },
  healthAddress: undefined,
  tls: undefined,
  verdictIntervalMs: 10_000,
  engine: undefined,
  watchNamespace: '',
  cloudWatch: undefined,
};

test('settings: what flags and environment say', () => {
  assert.deepEqual(read({}), DEFAULTS, 'the cluster');
  assert.deepEqual(read({ WATCH_NAMESPACE: 'shop', TSDB_SCRAPE_INTERVAL: '' }), {
    ...DEFAULTS,
    watchNamespace: 'shop',
  });
  assert.deepEqual(read({ INJECTION_TIME_FILTER: 'disable', TSDB_SCRAPE_INTERVAL: '60' }), {
    ...DEFAULTS,
    verdictIntervalMs: 60_000,
  });
  const engine = { engine: 'web', namespace: 'shop', appUid: 'a1' };
  assert.deepEqual(read({ CHAOSENGINE: 'web', CHAOS_NAMESPACE: 'shop', APP_UUID: 'a1' }), {
    ...DEFAULTS,
    engine,
  });
  const argv = [
    '-metrics-bind-address=:9443',
    '-health-probe-bind-address=:8081',
    '-tls-cert-file=c',
    '-tls-private-key-file=k',
  ];
  assert.deepEqual(read({}, argv), {
    ...DEFAULTS,
    metricsAddress: { port: 9443 },
    healthAddress: { port: 8081 },
    tls: { certFile: 'c', keyFile: 'k' },
  });
});

const REFUSED: readonly (readonly [
  name: string,
  env: Record<string, string>,
  argv: string[],
  why: RegExp,
])[] = [
  ['an engine without a name', { CHAOSENGINE: ' ' }, [], /CHAOSENGINE is empty/],
  ['a namespace that none can have', { WATCH_NAMESPACE: 'a,b' }, [], /WATCH_NAMESPACE: "a,b" is no name/],
  [
    'an interval with a unit',
    { TSDB_SCRAPE_INTERVAL: '1m' },
    [],
    /TSDB_SCRAPE_INTERVAL: "1m" must be a whole/,
  ],
  ['a negative interval', { TSDB_SCRAPE_INTERVAL: '-1' }, [], /TSDB_SCRAPE_INTERVAL/],
  ['no address', {}, ['-metrics-bind-address=0'], /-metrics-bind-address/],
  ['a key without a certificate', {}, ['-tls-private-key-file=k'], /needs -tls-cert-file/],
  ['a certificate without a key', {}, ['-tls-cert-file=c'], /needs -tls-private-key-file/],
];

for (const [name, env, argv, why] of REFUSED) {
  test(`settings: ${name} is refused by name`, () => {
    assert.throws(() => read(env, argv), why);
  });
}

test('TLS files: what cannot be used is refused by flag and file', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-tls-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  const options = ['-tls-cert-file', '-tls-private-key-file'] as const;
  await assert.rejects(
    CertificateFiles.read({ certFile, keyFile, options }),
    /-tls-cert-file: cannot read .*tls\.crt/,
  );
  await writeFile(certFile, 'no certificate');
  await writeFile(keyFile, 'no key');
  await assert.rejects(
    CertificateFiles.read({ certFile, keyFile, options }),
    /are no certificate with its key/,
  );
});
