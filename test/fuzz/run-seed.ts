import assert from 'node:assert/strict';
import { Seeded } from '../support/seeded.ts';
import type { Figures } from '../support/seeds.ts';
import { holdConnections, type Reply, send, sendRaw } from './http.ts';
import { drawRequest, type HostileRequest } from './requests.ts';
import type { Target } from './target.ts';

const HOSTILE_REQUESTS = 12;
/** A good request may wait for some bad ones, not longer. */
const PROMPT_MS = 5_000;
const MAX_RSS_BYTES = 900 * 1024 * 1024;
/** Failures that the real server answers with 500 and no reason; see docs/embedded-cluster.md. */
const DOCUMENTED_500 = /strconv\.ParseUint|merge key|map: map\[|etcdserver: request is too large/;

const THINGS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.fuzz.example' },
  spec: {
    group: 'fuzz.example',
    names: { plural: 'things', kind: 'Thing' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                'x-kubernetes-preserve-unknown-fields': true,
                properties: {
                  text: { type: 'string', pattern: '^(a+)+$' },
                  list: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

/** Makes what the seeds attack and what the good client uses. Once for each target. */
export async function prepare(target: Target): Promise<void> {
  for (const name of ['hostile', 'control']) {
    await good(target, 'POST', '/api/v1/namespaces', { metadata: { name } });
    await good(target, 'POST', `/api/v1/namespaces/${name}/serviceaccounts`, {
      metadata: { name: 'default' },
    });
  }
  await good(target, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', THINGS);
}

/** Plays one seed: hostile requests of all kinds at once, and a good client meanwhile. */
export async function runSeed(target: Target, seed: number): Promise<Figures> {
  const random = new Seeded(seed);
  const requests = Array.from({ length: HOSTILE_REQUESTS }, () => drawRequest(random));
  const release = holdConnections(target, random.between(0, 5));
  try {
    const garbage = Buffer.from(Array.from({ length: random.between(1, 400) }, () => random.between(0, 255)));
    const [replies, slowestMs] = await Promise.all([
      Promise.all(requests.map(async (request) => judge(request, await send(target, request)))),
      control(target, seed),
      sendRaw(target, garbage),
      sendRaw(
        target,
        Buffer.concat([Buffer.from('POST /api/v1/namespaces HTTP/1.1\r\nHost: a\r\n'), garbage]),
      ),
    ]);
    const health = await target.health();
    assert.deepEqual(health.problems, []);
    assert.deepEqual(health.polluted, []);
    assert.ok(health.rssBytes < MAX_RSS_BYTES, `the server uses ${health.rssBytes} bytes`);
    worst.delayMs = Math.max(worst.delayMs, health.worstDelayMs);
    worst.controlMs = Math.max(worst.controlMs, slowestMs);
    worst.rssBytes = Math.max(worst.rssBytes, health.rssBytes);
    return {
      requests: replies.length,
      refused: replies.filter((status) => status >= 400).length,
      closed: replies.filter((status) => status === 0).length,
    };
  } finally {
    release();
  }
}

/** The worst that was seen, over all seeds of this process. */
export const worst = { delayMs: 0, controlMs: 0, rssBytes: 0 };

/** Checks an answer to a hostile request; gives its code, 0 when the connection was closed instead. */
function judge({ method, path, headers, body }: HostileRequest, reply: Reply | undefined): number {
  if (reply === undefined) return 0;
  const { status, type, text } = reply;
  const sent = body.subarray(0, 300).toString('latin1');
  const exchange = `${method} ${path.slice(0, 300)} (${headers['content-type']}) ${sent}: ${status} ${text.slice(0, 500)}`;
  assert.ok(status >= 200, exchange);
  if (status === 500) assert.match(text, DOCUMENTED_500, exchange);
  else assert.ok(status < 500 || status === 504, exchange);
  assert.doesNotMatch(text, /"InternalError"/, exchange);
  if (status >= 400 && type === 'application/json' && text !== '') {
    const { kind, paths } = JSON.parse(text);
    assert.ok(kind === 'Status' || paths !== undefined, exchange);
  }
  return status;
}

/** The good client: its requests succeed promptly and its objects are what it wrote. Gives its slowest answer. */
async function control(target: Target, seed: number): Promise<number> {
  const collection = '/api/v1/namespaces/control/configmaps';
  const name = `map-${seed}`;
  let slowestMs = 0;
  const timed = async (method: string, path: string, body?: object): Promise<ControlObject> => {
    const startedAt = performance.now();
    const answer = await good(target, method, path, body);
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    return answer;
  };
  const created = await timed('POST', collection, { metadata: { name }, data: { seed: String(seed) } });
  await timed('PUT', `${collection}/${name}`, { ...created, data: { seed: String(-seed) } });
  const read = await timed('GET', `${collection}/${name}`);
  assert.deepEqual(read.data, { seed: String(-seed) });
  assert.deepEqual(
    Object.keys(read.metadata).filter((key) => key === 'labels' || key === 'annotations'),
    [],
  );
  await timed('DELETE', `${collection}/${name}`);
  assert.ok(slowestMs < PROMPT_MS, `a good request took ${slowestMs} ms`);
  return slowestMs;
}

interface ControlObject {
  readonly metadata: object;
  readonly data?: object;
}

async function good(target: Target, method: string, path: string, body?: object): Promise<ControlObject> {
  const reply = await send(target, {
    method,
    path,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
  });
  assert.ok(reply !== undefined && reply.status < 300, `${method} ${path}: ${reply?.status} ${reply?.text}`);
  return JSON.parse(reply.text);
}
