/**
 * pods/proxy, services/proxy and nodes/proxy: passes a request on to a server in the cluster, and its answer back
 * as it is. Source: kubernetes.io, Access Services Running on Clusters; of headers, the reverse proxy of a real server.
 */
import type { IncomingMessage } from 'node:http';
import type { Node } from '@turnsole/kube/kinds/core';
import { type ApiReply, type StreamSink, textReply } from '../../http/exchange.ts';
import { unavailable } from '../../http/status.ts';
import type { ServerParts } from '../../registry/environment.ts';
import type { ResourceRequest } from '../../request/request.ts';
import { KUBELET_PORT, type NodeReach } from '../node-reach.ts';
import { forwardedHeaders, returnedHeaders } from './headers.ts';
import { answerOf, hostOf, openRequest } from './send.ts';
import { type ProxyTarget, proxyTarget, readObject, readProxyId } from './target.ts';

/** Bytes that may wait for a slow reader before no more is read from the target. */
const HIGH_WATER_BYTES = 256 * 1024;

/** The parts of a proxy's URL. */
interface ProxyUrl {
  /** Up to and with the word `proxy`, without a slash at its end. */
  readonly prefix: string;
  /** What follows it; `''` or beginning with a slash. */
  readonly rest: string;
  /** With its question mark; may be empty. */
  readonly query: string;
}

const PROXY_URL =
  /^(\/+api\/+v1\/+(?:namespaces\/+[^/?]+\/+(?:pods|services)|nodes)\/+[^/?]+\/+proxy)(\/[^?]*)?(\?.*)?$/;

/** Splits the URL of a proxy request, whose encoding is left as it is; undefined for other URLs. Pure. */
export function readProxyUrl(url: string): ProxyUrl | undefined {
  const match = PROXY_URL.exec(url);
  if (match === null) return undefined;
  const [, prefix = '', rest = '', query = ''] = match;
  return { prefix, rest, query };
}

/** Answers a request to a proxy subresource that does not ask for another protocol. */
export async function handleProxy(
  { env, info, http }: ResourceRequest,
  reach: NodeReach | undefined,
): Promise<ApiReply> {
  const target = proxyTarget(env, info.plural, info.namespace, info.name);
  const { prefix, rest, query } = readProxyUrl(http.url) ?? { prefix: info.path, rest: '', query: '' };
  const isReading = http.method === 'GET' || http.method === 'HEAD';
  // So that relative links of the page resolve below the proxy's path.
  if (rest === '' && isReading) {
    return { status: 301, headers: { location: `${prefix}/${query}` }, body: [] };
  }
  if (info.plural === 'nodes' && target.port === '')
    return askKubelet(target, rest, reach?.(targetNode(env, info.name)));
  const request = openRequest(
    target,
    {
      method: http.method,
      path: `${rest === '' ? '/' : rest}${query}`,
      headers: {
        ...forwardedHeaders(http.headers, `${prefix}${rest}`),
        ...(isReading ? {} : { 'content-length': http.body.length }),
      },
    },
    env.clock,
  );
  http.onGone?.(() => request.destroy());
  request.end(http.body.length === 0 ? undefined : http.body);
  const answer = await answerOf(request, target);
  const hosts = [hostOf(target), http.headers.host ?? ''];
  return {
    status: answer.statusCode ?? 502,
    headers: returnedHeaders(answer.headers, { prefix, hosts }),
    stream: (sink) => void pump(answer, sink),
  };
}

/** The kubelet's answer about its node: only that it is healthy. */
function askKubelet(target: ProxyTarget, path: string, why: ReturnType<NodeReach>): ApiReply {
  if (why !== undefined) {
    throw unavailable(`error trying to reach service: dial tcp ${target.host}:${KUBELET_PORT}: ${why}`);
  }
  return path === '/healthz' ? textReply(200, 'ok') : textReply(404, '404 page not found\n');
}

function targetNode(env: ServerParts, text: string): Node {
  // Decoded with the type of a Node when it was written.
  return readObject(env, 'nodes', '', readProxyId(text)?.name ?? '') as unknown as Node;
}

/** Passes the body on as the client takes it. Never rejects: a failure breaks the connection. */
async function pump(answer: IncomingMessage, sink: StreamSink): Promise<void> {
  sink.onClose(() => answer.destroy());
  try {
    for await (const piece of answer) {
      sink.write(piece);
      if (sink.pendingBytes > HIGH_WATER_BYTES) await sink.drained();
    }
    sink.end();
  } catch {
    // The head is sent, so no Status can report it.
    sink.abort();
  }
}
