import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { checkedAddress, pinnedTo, type Reach } from '../remote/reach.ts';
import { RemoteError } from '../remote/remote-error.ts';

/** Time limit for the answer: a receiver should confirm first and process later. */
const ANSWER_MS = 10_000;

/**
 * Posts a body to an address from a user, after checking that it is outside of the server's own network. Follows no redirects, which could
 * lead back there.
 *
 * @throws RemoteError if it has not arrived; the sentence contains only the host of the address
 */
export async function post(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  reach: Reach,
  signal: AbortSignal,
): Promise<void> {
  const target = new URL(url);
  const checked = await checkedAddress(target.hostname, reach);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
  const status = await new Promise<number>((resolve, reject) => {
    const request = target.protocol === 'https:' ? requestHttps : requestHttp;
    const outgoing = request(target, {
      method: 'POST',
      agent: false,
      signal: limit,
      headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      lookup: pinnedTo(checked),
    });
    outgoing.once('error', reject);
    outgoing.once('response', (answer) => {
      // Only the status counts.
      answer.destroy();
      resolve(answer.statusCode ?? 0);
    });
    outgoing.end(body);
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    if (limit.aborted) throw new RemoteError(`${target.host} did not answer within ${ANSWER_MS / 1000} s`);
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'the connection failed';
    throw new RemoteError(`${target.host} could not be reached: ${why}`, { cause: error });
  });
  if (status < 200 || status > 299) throw new RemoteError(`${target.host} answered with status ${status}`);
}
