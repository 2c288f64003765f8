/** Debian's registry (`docker-registry`) on a free port of this machine, with what tests want of it: TLS, passwords, a token service. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '@turnsole/kube/base/free-ports';
import { findProgram } from '@turnsole/kube/base/machine';
import { until } from '@turnsole/kube/testing/until';
import type { MadeManifest } from './made-images.ts';

/** Why there is no registry to test with; false when there is one. */
export const noRegistry: string | false =
  findProgram('docker-registry') === undefined ? 'docker-registry is not installed' : false;

/** What `password` is to bcrypt, as registries want it in a password file. */
const PASSWORD_LINE = 'user:$2b$05$W8iYMUbj8dWVm6PwR9jQ3.tW5S9LAIn1uBfKRezwIEukmOUmhkVnK';

interface RegistryOptions {
  readonly folder: string;
  /** Files of its certificate. */
  readonly tls?: { readonly certificate: string; readonly key: string };
  /** Wants `user` with `password`. */
  readonly wantsPassword?: boolean;
  /** Wants tokens of this service, signed by the key of this certificate. */
  readonly tokens?: { readonly realm: string; readonly certificate: string };
}

export class TestRegistry implements AsyncDisposable {
  /** `127.0.0.1:<port>` */
  readonly host: string;
  readonly url: string;
  readonly #process: ChildProcess;

  private constructor(host: string, scheme: string, process: ChildProcess) {
    this.host = host;
    this.url = `${scheme}://${host}`;
    this.#process = process;
  }

  static async start(options: RegistryOptions): Promise<TestRegistry> {
    const { folder, tls } = options;
    const [port = 0] = await freePorts(1);
    const host = `127.0.0.1:${port}`;
    mkdirSync(join(folder, 'data'), { recursive: true });
    writeFileSync(join(folder, 'config.json'), JSON.stringify(configOf(options, host)));
    const child = spawn('docker-registry', ['serve', join(folder, 'config.json')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    await until(() => {
      if (child.exitCode !== null) throw new Error(`docker-registry ended: ${said}`);
      return said.includes('listening on');
    }, 'docker-registry listens');
    return new TestRegistry(host, tls === undefined ? 'http' : 'https', child);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill('SIGKILL');
    await ended;
  }
}

function configOf({ folder, tls, wantsPassword, tokens }: RegistryOptions, host: string): object {
  const passwords = join(folder, 'passwords');
  if (wantsPassword === true && !existsSync(passwords)) writeFileSync(passwords, `${PASSWORD_LINE}\n`);
  return {
    version: '0.1',
    log: { level: 'info', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: join(folder, 'data') }, delete: { enabled: true } },
    http: { addr: host, ...(tls && { tls }) },
    ...(wantsPassword === true && { auth: { htpasswd: { realm: 'test', path: passwords } } }),
    ...(tokens && {
      auth: {
        token: { realm: tokens.realm, service: 'test', issuer: 'test', rootcertbundle: tokens.certificate },
      },
    }),
  };
}

/** Puts an image into a registry, under a tag or, as an image of an index, under its digest. */
export async function push(
  url: string,
  repository: string,
  tag: string,
  image: MadeManifest,
  headers: Record<string, string> = {},
): Promise<void> {
  for (const [digest, bytes] of image.blobs) {
    if (digest === image.digest) continue;
    const started = await fetch(`${url}/v2/${repository}/blobs/uploads/`, { method: 'POST', headers });
    const place = new URL(started.headers.get('location') ?? '', url);
    place.searchParams.set('digest', digest);
    await accepted(
      await fetch(place, {
        method: 'PUT',
        headers: { ...headers, 'content-type': 'application/octet-stream' },
        body: new Uint8Array(bytes),
      }),
    );
  }
  await pushManifest(
    url,
    repository,
    tag,
    image.blobs.get(image.digest) ?? Buffer.alloc(0),
    'application/vnd.oci.image.manifest.v1+json',
    headers,
  );
}

export async function pushManifest(
  url: string,
  repository: string,
  tag: string,
  bytes: Buffer,
  mediaType: string,
  headers: Record<string, string> = {},
): Promise<void> {
  const place = `${url}/v2/${repository}/manifests/${tag}`;
  await accepted(
    await fetch(place, {
      method: 'PUT',
      headers: { ...headers, 'content-type': mediaType },
      body: new Uint8Array(bytes),
    }),
  );
}

async function accepted(answer: Response): Promise<void> {
  if (!answer.ok) throw new Error(`the registry answers ${answer.status}: ${await answer.text()}`);
}
