/** The program in a pod: its servers, with and without TLS, and an API server that is not there. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { freePorts } from '@turnsole/kube/base/free-ports';
import { silentLogger } from '@turnsole/kube/base/log';
import type { ClusterConfig } from '@turnsole/kube/client/types';
import { startApi, type TestApi } from '@turnsole/kube/testing/api';
import { PATIENCE_MS, until } from '@turnsole/kube/testing/until';
import { makeAuthority, makeServerCertificate, toPem } from '@turnsole/kube/tls/index';
import { defineRunKinds } from '../subscriber/testing/infrastructure.ts';
import { runExporter } from './run-exporter.ts';

let api: TestApi;
before(async () => {
  api = await startApi(createApiServer);
  await defineRunKinds(api.client);
});
after(() => api[Symbol.asyncDispose]());

/** Starts the program; gives its port and its way out. */
async function start(
  config: ClusterConfig,
  argv: readonly string[] = [],
): Promise<{ port: number; stop: () => Promise<number> }> {
  const ending = new AbortController();
  const listening = Promise.withResolvers<number>();
  const ended = runExporter(
    ['-metrics-bind-address=127.0.0.1:0', ...argv],
    {},
    { config, signal: ending.signal, logger: silentLogger, onListening: listening.resolve },
  );
  const port = await listening.promise;
  const stop = (): Promise<number> => {
    ending.abort(new Error('the test stops it'));
    return ended;
  };
  return { port, stop };
}

test('without an API server it lives, is not ready, and says why in place of a page', async () => {
  const exporter = await start({ server: 'http://127.0.0.1:1', namespace: 'shop' });
  const ask = async (path: string): Promise<[number, string]> => {
    const response = await fetch(`http://127.0.0.1:${exporter.port}${path}`);
    return [response.status, await response.text()];
  };
  assert.deepEqual(await ask('/healthz'), [200, 'ok\n']);
  assert.deepEqual(await ask('/readyz'), [
    503,
    '[-]first-lists failed: the chaosresults are not read yet\nreadyz check failed\n',
  ]);
  assert.deepEqual(await ask('/metrics'), [500, 'the chaosresults are not read yet\n']);
  assert.equal((await ask('/'))[0], 404);
  assert.equal(await exporter.stop(), 0);
});

test('metrics by TLS: the certificate is exchanged when its files are, and a half-written pair is not taken', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-tls-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  const life = { now: Date.now(), lifetimeDays: 1 };
  const authority = makeAuthority({ commonName: 'test', ...life });
  const write = async (commonName: string, withKey = true): Promise<void> => {
    const pair = makeServerCertificate(authority, { commonName, names: ['127.0.0.1'], ...life });
    await writeFile(certFile, toPem('CERTIFICATE', pair.certificate));
    if (withKey) await writeFile(keyFile, pair.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  };
  await write('first');
  const flags = [`-tls-cert-file=${certFile}`, `-tls-private-key-file=${keyFile}`];
  const exporter = await start(api.server.adminConfig, flags);
  const ca = toPem('CERTIFICATE', authority.certificate);
  /** Asks on a connection of its own: status, and whose certificate it was served by. */
  const ask = async (path: string): Promise<[number | undefined, string]> => {
    const request = get({ host: '127.0.0.1', port: exporter.port, path, ca, agent: false });
    // The event of a request that is answered has the answer.
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const { subject } = (response.socket as TLSSocket).getPeerCertificate();
    response.resume();
    await once(response, 'end');
    return [response.statusCode, String(subject.CN)];
  };
  await until(async () => (await ask('/readyz'))[0] === 200, 'ready');
  assert.deepEqual(await ask('/metrics'), [200, 'first']);
  await write('half', false);
  await ask('/metrics');
  assert.deepEqual(await ask('/metrics'), [200, 'first']);
  await write('second');
  await ask('/metrics');
  assert.deepEqual(await ask('/metrics'), [200, 'second']);
  assert.equal(await exporter.stop(), 0);
});

test('metrics by TLS alone: without it no client gets a page, and health has a port of its own without it', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-tls-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const files = await writePair(folder);
  const [healthPort = 0] = await freePorts(1);
  const health = `-health-probe-bind-address=127.0.0.1:${healthPort}`;
  const exporter = await start(api.server.adminConfig, [...flagsOf(files), health]);
  await assert.rejects(fetch(`http://127.0.0.1:${exporter.port}/metrics`));
  await until(async () => (await fetch(`http://127.0.0.1:${healthPort}/readyz`)).status === 200, 'ready');
  assert.equal((await fetch(`http://127.0.0.1:${healthPort}/metrics`)).status, 404);
  assert.equal(await exporter.stop(), 0);
});

test('a certificate and a key that do not belong together, or are not there, end it with code 2 and the flag', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-tls-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const [one, two] = [await writePair(folder, 'one'), await writePair(folder, 'two')];
  const none = join(folder, 'none');
  for (const [files, why] of [
    [{ ...one, key: two.key }, /-tls-cert-file, -tls-private-key-file: .*one\.crt and .*two\.key are no/],
    [{ ...one, key: none }, /-tls-private-key-file: cannot read .*none/],
    [{ ...one, cert: none }, /-tls-cert-file: cannot read .*none/],
    [{ ...one, cert: one.key }, /are no certificate with its key/],
  ] as const) {
    const details: string[] = [];
    const error = (fields: Readonly<Record<string, unknown>> | string): void =>
      void details.push(typeof fields === 'string' ? fields : String(fields.detail));
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const io = { config: api.server.adminConfig, signal, logger: { ...silentLogger, error } };
    const code = await runExporter(['-metrics-bind-address=127.0.0.1:0', ...flagsOf(files)], {}, io);
    assert.equal(code, 2);
    assert.match(details.join(), why);
  }
});

interface PairFiles {
  readonly cert: string;
  readonly key: string;
}

const flagsOf = ({ cert, key }: PairFiles): string[] => [
  `-tls-cert-file=${cert}`,
  `-tls-private-key-file=${key}`,
];

async function writePair(folder: string, name = 'tls'): Promise<PairFiles> {
  const life = { now: Date.now(), lifetimeDays: 1 };
  const authority = makeAuthority({ commonName: name, ...life });
  const pair = makeServerCertificate(authority, { commonName: name, names: ['127.0.0.1'], ...life });
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  await writeFile(cert, toPem('CERTIFICATE', pair.certificate));
  await writeFile(key, pair.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return { cert, key };
}
