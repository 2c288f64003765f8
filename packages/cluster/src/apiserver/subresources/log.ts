/** pods/log: handed on to the node agent. */
import type { Pod } from '@turnsole/kube/kinds/core';
import type { ApiReply, StreamSink } from '../http/exchange.ts';
import { badRequest, invalid, methodNotAllowed } from '../http/status.ts';
import { readVersion } from '../registry/read.ts';
import { queryBoolean, queryInteger, type ResourceRequest } from '../request/request.ts';
import { forbiddenField, invalidField } from '../validation/field.ts';
import { mustReachNode, type NodeReach } from './node-reach.ts';

/** The requested part of a log. */
export interface PodLogRequest {
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  /** RFC 3339. */
  readonly sinceTime?: string;
  readonly limitBytes?: number;
}

/**
 * Where logs come from: the node agent registers itself. The iteration ends with the text, or, when following, with
 * the container or the signal. A {@link PodLogError} explains to the user why there is no log.
 */
export interface PodLogSource {
  logs(pod: Pod, request: PodLogRequest, signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** The log does not exist (yet): the message goes to the user with status 400. */
export class PodLogError extends Error {
  override readonly name = 'PodLogError';
}

/** A follower gets its headers at the latest after this, even while the container says nothing. */
const HEADERS_AFTER_MS = 100;
/** Bytes that may wait for a slow reader before the source is paused. */
const HIGH_WATER_BYTES = 256 * 1024;

export async function handleLog(
  request: ResourceRequest,
  source: PodLogSource | undefined,
  reach: NodeReach | undefined,
): Promise<ApiReply> {
  const { env, kind, info } = request;
  if (info.verb !== 'get') throw methodNotAllowed();
  // Decoded with the type of a Pod when it was written.
  const pod = readVersion(env, kind.definition, info.namespace, info.name).object as unknown as Pod;
  const asked = readRequest(request, pod);
  // A pod that is nowhere has no log: an empty answer, as the real server gives.
  if ((pod.spec?.nodeName ?? '') === '') return { status: 204, headers: {}, body: [] };
  mustReachNode(env, reach, pod, { kind: 'logs', container: asked.container });
  if (source === undefined) throw badRequest(`no node agent serves logs of pod ${info.name}`);
  const ending = new AbortController();
  const iterator = source.logs(pod, asked, ending.signal)[Symbol.asyncIterator]();
  const first = iterator.next();
  const stop = (): void => {
    ending.abort();
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  };
  // What the source knows at once decides between an error and a stream.
  const timeout = new AbortController();
  const early = asked.follow
    ? env.clock.sleep(HEADERS_AFTER_MS, timeout.signal).catch(() => undefined)
    : undefined;
  try {
    await (early === undefined ? first : Promise.race([first, early]));
  } catch (error) {
    if (error instanceof PodLogError) throw badRequest(error.message, error);
    throw error;
  } finally {
    timeout.abort();
  }
  const stream = (sink: StreamSink): void => {
    sink.onClose(stop);
    void pump(first, iterator, sink);
  };
  return { status: 200, headers: { 'content-type': 'text/plain' }, stream };
}

async function pump(
  first: Promise<IteratorResult<Uint8Array>>,
  iterator: AsyncIterator<Uint8Array>,
  sink: StreamSink,
): Promise<void> {
  try {
    for (let step = await first; step.done !== true; step = await iterator.next()) {
      sink.write(Buffer.from(step.value.buffer, step.value.byteOffset, step.value.byteLength));
      if (sink.pendingBytes > HIGH_WATER_BYTES) await sink.drained();
    }
  } catch (error) {
    // The headers are gone already: the text is the only place left.
    if (error instanceof Error && error.name !== 'AbortError') sink.write(Buffer.from(`${error.message}\n`));
  } finally {
    sink.end();
  }
}

function readRequest({ query, info }: ResourceRequest, pod: Pod): PodLogRequest {
  const tailLines = queryInteger(query, 'tailLines');
  const sinceSeconds = queryInteger(query, 'sinceSeconds');
  const limitBytes = queryInteger(query, 'limitBytes');
  const sinceTime = query.get('sinceTime') ?? '';
  for (const [name, value, least] of [
    ['tailLines', tailLines, 0],
    ['sinceSeconds', sinceSeconds, 1],
    ['limitBytes', limitBytes, 1],
  ] as const) {
    if (value === undefined || value >= least) continue;
    const words = least === 0 ? 'must be greater than or equal to 0' : 'must be greater than 0';
    throw invalid('', 'PodLogOptions', info.name, [invalidField(name, value, words)]);
  }
  if (sinceTime !== '' && sinceSeconds !== undefined) {
    throw invalid('', 'PodLogOptions', info.name, [
      forbiddenField('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified'),
    ]);
  }
  return {
    container: chooseContainer(pod, query.get('container') ?? ''),
    follow: queryBoolean(query, 'follow'),
    previous: queryBoolean(query, 'previous'),
    timestamps: queryBoolean(query, 'timestamps'),
    tailLines,
    sinceSeconds,
    limitBytes,
    sinceTime: sinceTime === '' ? undefined : sinceTime,
  };
}

/** The container that is meant: the only one, or the one named. Throws BadRequest. */
export function chooseContainer(pod: Pod, asked: string): string {
  const { name } = pod.metadata;
  const containers = (pod.spec?.containers ?? []).map((container) => container.name);
  const inits = (pod.spec?.initContainers ?? []).map((container) => container.name);
  const others = (pod.spec?.ephemeralContainers ?? []).map((container) => container.name);
  if (asked !== '') {
    if ([...containers, ...inits, ...others].includes(asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${name}`);
  }
  const [only] = containers;
  if (only !== undefined && containers.length === 1) return only;
  const marked = pod.metadata.annotations?.['kubectl.kubernetes.io/default-container'];
  if (marked !== undefined && containers.includes(marked)) return marked;
  const initText = inits.length === 0 ? '' : ` or one of the init containers: [${inits.join(' ')}]`;
  throw badRequest(
    `a container name must be specified for pod ${name}, choose one of: [${containers.join(' ')}]${initText}`,
  );
}
