import { createWriteStream } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { allInOrder } from '@turnsole/kube/base/all-in-order';
import { isObject } from '@turnsole/kube/text/json';
import { again } from '../../http/again.ts';
import { textOf } from '../../http/exchange.ts';
import { failureOf, HttpFailure } from '../../http/failures.ts';
import { type ArtifactStore, NotPossibleError, type ReadSecret } from '../store.ts';
import { type S3Access, S3Requests } from './s3-requests.ts';
import { type Fields, secretOf } from './secret-fields.ts';

const MOST_OF_ONE_UPLOAD = 5 * 1024 ** 3;

/** A bucket of a server that speaks S3. */
class S3Store implements ArtifactStore {
  readonly name: string;
  readonly #requests: S3Requests;
  readonly #fields: Fields;

  constructor(access: S3Access, fields: Fields) {
    this.name = `bucket ${access.bucket} at ${access.endpoint}`;
    this.#requests = new S3Requests(access);
    this.#fields = fields;
  }

  /** A key that is no object may be what the keys of a folder begin with. */
  async fetch(key: string, path: string, signal: AbortSignal): Promise<boolean> {
    if (!key.endsWith('/') && (await this.#fetchOne(key, path, signal))) return true;
    const prefix = key.endsWith('/') || key === '' ? key : `${key}/`;
    const keys = (await this.list(prefix, signal)).filter((one) => !one.endsWith('/'));
    for (const one of keys) {
      const target = join(path, one.slice(prefix.length));
      if (relative(path, target).startsWith('..'))
        throw new NotPossibleError(`the key ${one} leads out of the folder ${prefix}`);
      await mkdir(dirname(target), { recursive: true });
      await this.#fetchOne(one, target, signal);
    }
    return keys.length > 0;
  }

  #fetchOne(key: string, path: string, signal: AbortSignal): Promise<boolean> {
    return again(async () => {
      const answer = await this.#requests.send('GET', { key, signal });
      if (answer.status === 404) {
        const failure = await failureOf(`GET ${key}`, answer);
        if (failure.message.includes('NoSuchBucket')) throw failure;
        return false;
      }
      if (answer.status >= 300) throw await failureOf(`GET ${key}`, answer);
      await pipeline(answer.body, createWriteStream(path), { signal });
      return true;
    }, signal);
  }

  async store(path: string, key: string, signal: AbortSignal): Promise<void> {
    await this.#makeBucket(signal);
    if (!(await stat(path)).isDirectory()) return this.#storeOne(path, key, signal);
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((one) => one.isFile())) {
      const file = join(entry.parentPath, entry.name);
      await this.#storeOne(file, `${key.replace(/\/+$/, '')}/${relative(path, file)}`, signal);
    }
  }

  async #storeOne(file: string, key: string, signal: AbortSignal): Promise<void> {
    const { size: bytes } = await stat(file);
    if (bytes > MOST_OF_ONE_UPLOAD)
      throw new NotPossibleError(`${key} has ${bytes} bytes, and one upload takes 5 GiB: split the artifact`);
    try {
      await this.#do('PUT', { key, body: { file, bytes }, headers: this.#encryption(), signal });
    } catch (cause) {
      if (!(cause instanceof HttpFailure) || cause.status !== 404) throw cause;
      // A server that refuses before it has read everything may close before its sentence is here.
      throw new Error(`${this.name} is not there: make it, or set createBucketIfNotPresent`, { cause });
    }
  }

  #encryption(): Record<string, string> {
    const { encryptionOptions: options } = this.#fields;
    if (!isObject(options) || options['enableEncryption'] !== true) return {};
    const keyId = options['kmsKeyId'];
    if (typeof keyId !== 'string' || keyId === '') return { 'x-amz-server-side-encryption': 'AES256' };
    return {
      'x-amz-server-side-encryption': 'aws:kms',
      'x-amz-server-side-encryption-aws-kms-key-id': keyId,
    };
  }

  /** Creates the bucket when the location asks for it. One that exists already is fine. */
  async #makeBucket(signal: AbortSignal): Promise<void> {
    const { createBucketIfNotPresent: wanted } = this.#fields;
    if (!isObject(wanted)) return;
    const headers: Record<string, string> =
      wanted['objectLocking'] === true ? { 'x-amz-bucket-object-lock-enabled': 'true' } : {};
    try {
      await this.#do('PUT', { headers, signal });
    } catch (error) {
      if (!(error instanceof HttpFailure) || error.status !== 409) throw error;
    }
  }

  async list(prefix: string, signal: AbortSignal): Promise<string[]> {
    const keys: string[] = [];
    let token: string | undefined;
    do {
      const query = { 'list-type': '2', prefix, ...(token !== undefined && { 'continuation-token': token }) };
      const page = await again(async () => {
        const answer = await this.#requests.send('GET', { query, signal });
        if (answer.status >= 300) throw await failureOf(`listing ${prefix || 'the bucket'}`, answer);
        return textOf(answer.body, Number.POSITIVE_INFINITY);
      }, signal);
      keys.push(...[...page.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => fromXml(key)));
      const next = /<NextContinuationToken>([^<]*)</.exec(page)?.[1];
      token = next === undefined ? undefined : fromXml(next);
    } while (token !== undefined);
    return keys;
  }

  async remove(key: string, signal: AbortSignal): Promise<void> {
    const below = await this.list(`${key.replace(/\/+$/, '')}/`, signal);
    for (const one of [key, ...below]) await this.#do('DELETE', { key: one, signal });
  }

  #do(method: string, request: Parameters<S3Requests['send']>[1]): Promise<void> {
    return again(async () => {
      const answer = await this.#requests.send(method, request);
      if (answer.status >= 300) throw await failureOf(`${method} ${request.key ?? 'the bucket'}`, answer);
      answer.body.resume();
    }, request.signal);
  }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function fromXml(text: string): string {
  return text.replaceAll(/&(?:#(\d+)|#x([\da-fA-F]+)|(\w+));/g, (whole, decimal, hex, name) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    return ENTITIES[name] ?? whole;
  });
}

/** `s3`, with the keys of its Secrets; without any, requests are not signed. */
export async function openS3(fields: Fields, readSecret: ReadSecret): Promise<ArtifactStore> {
  const text = (field: string): string => String(fields[field] ?? '');
  const [accessKeyId, secretAccessKey, sessionToken, ca] = await allInOrder(
    ['accessKeySecret', 'secretKeySecret', 'sessionTokenSecret', 'caSecret'].map((field) =>
      secretOf(fields, field, readSecret),
    ),
  );
  const access: S3Access = {
    endpoint: text('endpoint'),
    bucket: text('bucket'),
    region: text('region') || 'us-east-1',
    insecure: fields['insecure'] === true,
    ...(accessKeyId !== undefined &&
      secretAccessKey !== undefined && { keys: { accessKeyId, secretAccessKey, sessionToken } }),
    ...(ca !== undefined && { ca }),
  };
  return new S3Store(access, fields);
}
