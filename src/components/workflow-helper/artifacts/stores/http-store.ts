import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { isObject, parseObject } from '@turnsole/kube/text/json';
import { again } from '../../http/again.ts';
import { type Exchange, exchange, type TlsOptions, textOf } from '../../http/exchange.ts';
import { failureOf } from '../../http/failures.ts';
import { type ArtifactStore, NotPossibleError, type ReadSecret } from '../store.ts';
import { basicOf, type Fields, secretOf } from './secret-fields.ts';

/** Headers and certificates of each request to a server. */
interface Access {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsOptions;
}

/** A server that keeps artifacts under their URLs: GET, PUT and DELETE. */
class HttpStore implements ArtifactStore {
  readonly name = 'its server';
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  fetch(url: string, path: string, signal: AbortSignal): Promise<boolean> {
    return again(async () => {
      const answer = await exchange({ ...this.#access, url, signal });
      if (answer.status === 404) {
        answer.body.resume();
        return false;
      }
      if (answer.status >= 300) throw await failureOf(`GET ${url}`, answer);
      await pipeline(answer.body, createWriteStream(path), { signal });
      return true;
    }, signal);
  }

  async store(path: string, url: string, signal: AbortSignal): Promise<void> {
    const found = await stat(path);
    if (found.isDirectory())
      throw new NotPossibleError(`${url} takes one file: a folder needs an archive of tar or zip`);
    await this.#send({ method: 'PUT', url, body: { file: path, bytes: found.size }, signal });
  }

  list(prefix: string): Promise<string[]> {
    return Promise.reject(new NotPossibleError(`${prefix}: a server of HTTP cannot list what it has`));
  }

  async remove(url: string, signal: AbortSignal): Promise<void> {
    await this.#send({ method: 'DELETE', url, signal }, [404]);
  }

  #send(request: Exchange, accepted: readonly number[] = []): Promise<void> {
    return again(async () => {
      const answer = await exchange({ ...request, ...this.#access });
      if (answer.status >= 300 && !accepted.includes(answer.status))
        throw await failureOf(`${request.method} ${request.url}`, answer);
      answer.body.resume();
    }, request.signal);
  }
}

/** `http`: with the headers and the authentication of the location. */
export async function openHttp(fields: Fields, readSecret: ReadSecret): Promise<ArtifactStore> {
  const auth = isObject(fields['auth']) ? fields['auth'] : {};
  const headers = headersOf(fields['headers']);
  if (isObject(auth['basicAuth']))
    return new HttpStore({
      headers: { ...headers, ...(await basic(auth['basicAuth'], readSecret)) },
      tls: {},
    });
  if (isObject(auth['oauth2']))
    return new HttpStore({ headers: { ...headers, ...(await bearer(auth['oauth2'], readSecret)) }, tls: {} });
  if (!isObject(auth['clientCert'])) return new HttpStore({ headers, tls: {} });
  const cert = await secretOf(auth['clientCert'], 'clientCertSecret', readSecret);
  const key = await secretOf(auth['clientCert'], 'clientKeySecret', readSecret);
  return new HttpStore({ headers, tls: { ...(cert && { cert }), ...(key && { key }) } });
}

/** `artifactory`: a server of HTTP with a user. */
export async function openArtifactory(fields: Fields, readSecret: ReadSecret): Promise<ArtifactStore> {
  return new HttpStore({ headers: await basic(fields, readSecret), tls: {} });
}

async function basic(fields: Fields, readSecret: ReadSecret): Promise<Record<string, string>> {
  const authorization = await basicOf(fields, readSecret);
  return authorization === undefined ? {} : { authorization };
}

/** The client credentials grant of OAuth 2. */
async function bearer(fields: Fields, readSecret: ReadSecret): Promise<Record<string, string>> {
  const url = await secretOf(fields, 'tokenURLSecret', readSecret);
  if (url === undefined) throw new NotPossibleError('auth.oauth2.tokenURLSecret is required');
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  form.set('client_id', (await secretOf(fields, 'clientIDSecret', readSecret)) ?? '');
  form.set('client_secret', (await secretOf(fields, 'clientSecretSecret', readSecret)) ?? '');
  const { scopes, endpointParams } = fields;
  if (Array.isArray(scopes) && scopes.length > 0) form.set('scope', scopes.join(' '));
  for (const { key, value } of pairs(endpointParams, 'key')) form.set(key, value);
  const signal = AbortSignal.timeout(60_000);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return again(async () => {
    const answer = await exchange({ method: 'POST', url, headers, body: form.toString(), signal });
    if (answer.status >= 300) throw await failureOf(`POST ${url}, for a token of OAuth 2,`, answer);
    const token = parseObject(await textOf(answer.body, 1_000_000))?.['access_token'];
    if (typeof token !== 'string') throw new Error(`${url} answered without an access_token`);
    return { authorization: `Bearer ${token}` };
  }, signal);
}

function headersOf(list: unknown): Record<string, string> {
  return Object.fromEntries(pairs(list, 'name').map(({ key, value }) => [key, value]));
}

function pairs(list: unknown, nameField: string): { key: string; value: string }[] {
  return (Array.isArray(list) ? list : [])
    .filter(isObject)
    .map((item) => ({ key: String(item[nameField] ?? ''), value: String(item['value'] ?? '') }));
}
