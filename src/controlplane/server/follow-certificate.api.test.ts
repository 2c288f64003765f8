import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { type Logger, silentLogger } from '@turnsole/kube/base/log';
import { makeAuthority, makeServerCertificate, toPem } from '@turnsole/kube/tls/index';
import { type ReadyServer, runServer } from './run-server.ts';

const DAY_MS = 86_400_000;
const AUTHORITY = makeAuthority({ commonName: 'test', now: Date.now(), lifetimeDays: 9 });
const ca = toPem('CERTIFICATE', AUTHORITY.certificate);

/** Certificate and key of a server that calls itself so. */
function pairOf(commonName: string, now = Date.now()): { readonly cert: string; readonly key: string } {
  const names = ['127.0.0.1'];
  const pair = makeServerCertificate(AUTHORITY, { commonName, names, now, lifetimeDays: 1 });
  const key = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { cert: toPem('CERTIFICATE', pair.certificate), key };
}

function write(folder: string, { cert, key }: { readonly cert: string; readonly key: string }): void {
  writeFileSync(join(folder, 'tls.crt'), cert);
  writeFileSync(join(folder, 'tls.key'), key);
}

/** A Secret as the kubelet mounts it: a new version is a new folder, and one link is exchanged. */
function mountVersion(folder: string, version: string, pair: ReturnType<typeof pairOf>): void {
  mkdirSync(join(folder, version));
  write(join(folder, version), pair);
  symlinkSync(version, join(folder, '..data_tmp'));
  renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
}

/** Resolves with the next line of the log that has the message. */
class Lines {
  readonly logger: Logger;
  readonly #waiting = new Map<string, (fields: Readonly<Record<string, unknown>>) => void>();

  constructor() {
    const tell = (fields: Readonly<Record<string, unknown>> | string, message = ''): void => {
      const text = typeof fields === 'string' ? fields : message;
      this.#waiting.get(text)?.(typeof fields === 'string' ? {} : fields);
    };
    this.logger = { ...silentLogger, info: tell, error: tell };
  }

  next(message: string): Promise<Readonly<Record<string, unknown>>> {
    return new Promise((resolve) => this.#waiting.set(message, resolve));
  }
}

const TAKEN = 'serves a new certificate';
const REFUSED = 'a new certificate is not taken; the one before stays in use';

interface Served {
  readonly lines: Lines;
  /** Name in the certificate of a new connection. */
  name(): Promise<string>;
}

async function serve(context: TestContext, folder: string, files: string): Promise<Served> {
  const stop = new AbortController();
  const lines = new Lines();
  const { promise: ready, resolve } = Promise.withResolvers<ReadyServer>();
  const options = {
    ...{ listen: '0', data: join(folder, 'data') },
    ...{ tlsCert: join(files, 'tls.crt'), tlsKey: join(files, 'tls.key') },
  };
  const io = { env: {}, signal: stop.signal, logger: lines.logger };
  const over = runServer(options, { ...io, onReady: async (server) => resolve(server) });
  context.after(async () => {
    stop.abort();
    await over.catch(() => {});
  });
  const { url } = await Promise.race([ready, over.then(() => assert.fail('it has ended'))]);
  const name = async (): Promise<string> => {
    const request = get(`${url}/status`, { ca, agent: false });
    // The event of a request that is answered has the answer.
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const { subject } = (response.socket as TLSSocket).getPeerCertificate();
    response.resume();
    await once(response, 'end');
    return String(subject.CN);
  };
  return { lines, name };
}

describe('the certificate of a server', () => {
  function folderOf(context: TestContext): string {
    const folder = mkdtempSync(join(tmpdir(), 'turnsole-certificate-'));
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  }

  test('is read anew when its files are written; one that cannot be used is logged, and the one before stays', async (context) => {
    const folder = folderOf(context);
    write(folder, pairOf('first'));
    const { lines, name } = await serve(context, folder, folder);
    assert.equal(await name(), 'first');
    for (const [bad, why] of [
      [
        { ...pairOf('other'), key: pairOf('another').key },
        /tls\.key are no certificate with its key: .*mismatch/,
      ],
      [pairOf('old', Date.now() - 3 * DAY_MS), /^--tls-cert: .*tls\.crt has expired \(/],
      [
        { cert: 'no certificate', key: 'no key' },
        /^--tls-cert, --tls-key: .* are no certificate with its key/,
      ],
    ] as const) {
      const refused = lines.next(REFUSED);
      write(folder, bad);
      assert.match(String((await refused).detail), why);
      assert.equal(await name(), 'first');
    }
    const taken = lines.next(TAKEN);
    write(folder, pairOf('second'));
    await taken;
    assert.equal(await name(), 'second');
  });

  test('is taken anew when the kubelet exchanges the version of its Secret', async (context) => {
    const folder = folderOf(context);
    const mount = join(folder, 'tls');
    mkdirSync(mount);
    mountVersion(mount, '..1', pairOf('first'));
    for (const file of ['tls.crt', 'tls.key']) symlinkSync(join('..data', file), join(mount, file));
    const { lines, name } = await serve(context, folder, mount);
    assert.equal(await name(), 'first');
    const taken = lines.next(TAKEN);
    mountVersion(mount, '..2', pairOf('second'));
    await taken;
    assert.equal(await name(), 'second');
  });

  test('is taken anew on SIGHUP, from where nothing is watched', async (context) => {
    const folder = folderOf(context);
    const [elsewhere, links] = [join(folder, 'elsewhere'), join(folder, 'links')];
    for (const made of [elsewhere, links]) mkdirSync(made);
    write(elsewhere, pairOf('first'));
    for (const file of ['tls.crt', 'tls.key']) symlinkSync(join(elsewhere, file), join(links, file));
    const { lines, name } = await serve(context, folder, links);
    write(elsewhere, pairOf('second'));
    assert.equal(await name(), 'first');
    const taken = lines.next(TAKEN);
    process.kill(process.pid, 'SIGHUP');
    await taken;
    assert.equal(await name(), 'second');
  });

  test('must be a certificate with its key at the start', async (context) => {
    const folder = folderOf(context);
    write(folder, { ...pairOf('one'), key: pairOf('two').key });
    await assert.rejects(serve(context, folder, folder), {
      name: 'UsageError',
      message: /^--tls-cert, --tls-key: .*tls\.crt and .*tls\.key are no certificate with its key/,
    });
  });
});
