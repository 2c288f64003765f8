import { request as httpsRequest, type RequestOptions } from 'node:https';
import { TimeLimit } from '@turnsole/kube/base/time-limit';
import { messageOf } from '@turnsole/kube/text/error-message';
import type { Store } from '../../../store/index.ts';
import { asJson, asList, asNumber, asObjects, asString, type Json, valueAt } from '../../object.ts';
import type { ServerParts } from '../../registry/environment.ts';
import { objectOf } from '../../stored-object.ts';
import type { Webhook } from './configured.ts';

/** An answer holds a patch and a status; no honest one is larger. */
const MAX_ANSWER_BYTES = 3 * 2 ** 20;
const HTTP_OK = 200;
const SHOWN_CHARACTERS = 256;

/** A webhook could not be asked, or not in time. */
class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError';
}

/**
 * Sends a review and gives back the text of the answer.
 * @throws WebhookCallError also when the webhook's time is over
 */
export async function callWebhook(
  webhook: Webhook,
  review: Json,
  { store, clock, onClientRequest }: Pick<ServerParts, 'store' | 'clock' | 'onClientRequest'>,
): Promise<string> {
  const noAnswer = `no answer within ${webhook.timeoutMs / 1000} s`;
  using limit = new TimeLimit(clock, webhook.timeoutMs, () => new Error(noAnswer));
  const { url, options } = targetOf(webhook, store);
  try {
    const text = await post({ ...options, signal: limit.signal }, JSON.stringify(review));
    onClientRequest?.(new URL(url).host, String(HTTP_OK));
    return text;
  } catch (error) {
    onClientRequest?.(new URL(url).host, '<error>');
    const why = limit.signal.aborted ? noAnswer : messageOf(error);
    throw new WebhookCallError(`failed to call webhook: Post ${JSON.stringify(url)}: ${why}`, {
      cause: error,
    });
  }
}

/** Where the request goes, and how messages call that place. */
function targetOf(
  webhook: Webhook,
  store: Store,
): { readonly url: string; readonly options: RequestOptions } {
  const query = `timeout=${webhook.timeoutMs / 1000}s`;
  const { address, authority } = webhook;
  if ('url' in address) {
    const { hostname, port, pathname } = new URL(address.url);
    return {
      url: `${address.url}?${query}`,
      options: {
        ca: authority,
        host: hostname.replace(/^\[|\]$/g, ''),
        port: port || undefined,
        path: `${pathname}?${query}`,
      },
    };
  }
  const { namespace, name, port, path } = address.service;
  const host = `${name}.${namespace}.svc`;
  const url = `https://${host}:${port}${path}?${query}`;
  const found = addressOfService(store, namespace, name, port);
  if (typeof found === 'string') {
    throw new WebhookCallError(`failed to call webhook: Post ${JSON.stringify(url)}: ${found}`);
  }
  // The certificate is that of the service, whichever pod answers.
  return {
    url,
    options: { ca: authority, ...found, servername: host, path: `${path}?${query}`, headers: { host } },
  };
}

function post(options: RequestOptions, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...options.headers,
      'content-type': 'application/json',
      accept: 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    // A connection of its own: one that was kept may belong to a pod that is gone.
    const request = httpsRequest({ ...options, method: 'POST', agent: false, headers }, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size > MAX_ANSWER_BYTES)
          request.destroy(new Error(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`));
      });
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === HTTP_OK) resolve(text);
        else reject(new Error(`status ${response.statusCode}: ${text.slice(0, SHOWN_CHARACTERS).trim()}`));
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Where a pod of a service answers. */
interface PodAddress {
  readonly host: string;
  readonly port: number;
}

/** The first ready pod of a service, asked directly: the server is no pod and has no proxy before it. A text says what is missing. */
export function addressOfService(
  store: Store,
  namespace: string,
  name: string,
  port: number,
): PodAddress | string {
  const service = store.get('services', namespace, name);
  if (service === undefined) return `service "${name}" not found`;
  const offered = asObjects(valueAt(objectOf(service), 'spec', 'ports')).find((entry) => entry.port === port);
  if (offered === undefined) return `service port ${port} not found`;
  const endpoints = store.get('endpoints', namespace, name);
  const wanted = asString(offered.name);
  for (const subset of asObjects(endpoints === undefined ? [] : objectOf(endpoints).subsets)) {
    const [address] = asList(subset.addresses);
    const target = asObjects(subset.ports).find((entry) => asString(entry.name) === wanted);
    if (address !== undefined && target !== undefined) {
      return { host: asString(asJson(address).ip), port: asNumber(target.port) };
    }
  }
  return `no endpoints available for service "${name}"`;
}
