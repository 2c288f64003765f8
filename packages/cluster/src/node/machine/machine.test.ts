import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ApiError } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Node } from '@turnsole/kube/kinds/core';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { agentAnnotations, agentMode, agentUntilMs, whyUnreachable } from '../agent-mode.ts';
import { parseMachineOrder } from './machine-order.ts';
import { MachineServer } from './machine-server.ts';

const node = (annotations: Record<string, string | null>): Node => ({
  metadata: {
    name: 'n',
    annotations: Object.fromEntries(
      Object.entries(annotations).flatMap(([key, value]) => (value === null ? [] : [[key, value]])),
    ),
  },
});

describe('orders', () => {
  for (const [text, expected] of [
    ['{"mode":"stopped"}', { mode: 'stopped' }],
    ['{"mode":"off","seconds":5}', { mode: 'off', seconds: 5 }],
    ['{"mode":"runtime-stopped","seconds":0.5}', { mode: 'runtime-stopped', seconds: 0.5 }],
    ['{"mode":"running"}', { mode: 'running' }],
    ['', 'the body is no JSON of at most 4096 bytes'],
    ['null', 'the body is no object'],
    ['{"mode":"dead"}', 'mode must be running, stopped, off or runtime-stopped'],
    ['{}', 'mode must be running, stopped, off or runtime-stopped'],
    ['{"mode":"off","seconds":0}', 'seconds must be a number above 0, at most 86400'],
    ['{"mode":"off","seconds":"5"}', 'seconds must be a number above 0, at most 86400'],
    ['{"mode":"off","seconds":86401}', 'seconds must be a number above 0, at most 86400'],
  ] as const) {
    test(text === '' ? 'nothing' : text, () => assert.deepEqual(parseMachineOrder(text), expected));
  }
});

test('the annotations of a mode say it, and until when', () => {
  for (const mode of ['stopped', 'off', 'runtime-stopped'] as const) {
    const stopped = node(agentAnnotations(mode, 5_000));
    assert.deepEqual([agentMode(stopped), agentUntilMs(stopped)], [mode, 5_000]);
    assert.equal(agentUntilMs(node(agentAnnotations(mode))), undefined);
  }
  const running = node(agentAnnotations('running', 5_000));
  assert.deepEqual([agentMode(running), agentUntilMs(running)], ['running', undefined]);
  assert.deepEqual(running.metadata.annotations, {});
  const odd = node({ ...agentAnnotations('off'), 'turnsole.io/node-agent-until': 'soon' });
  assert.deepEqual([agentMode(odd), agentUntilMs(odd)], ['off', undefined]);
  assert.equal(whyUnreachable(node(agentAnnotations('runtime-stopped'))), undefined);
});

test('an order arrives at the node by the socket, and one that cannot be carried out is answered with the reason', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'turnsole-machine-'));
  const path = join(folder, 'machine.sock');
  const patches: unknown[] = [];
  const patch = (_resource: unknown, name: string, _type: unknown, body: unknown): Promise<never> => {
    if (name === 'gone') return Promise.reject(new ApiError('PATCH', 404, { reason: 'NotFound' }));
    patches.push([name, body]);
    return Promise.resolve(undefined as never);
  };
  // Only this method is used.
  const client = { patch } as unknown as KubeClient;
  const server = new MachineServer({ path, client, clock: new FakeClock(10_000), onProblem: assert.fail });
  await server.start();
  t.after(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });
  const put = (target: string, body: string, method = 'PUT') =>
    new Promise<[number | undefined, string]>((resolve, reject) => {
      const sent = request({ socketPath: path, path: target, method }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += String(chunk);
        });
        response.on('end', () => resolve([response.statusCode, text]));
      });
      sent.on('error', reject);
      sent.end(body);
    });
  assert.deepEqual(await put('/nodes/n-1/agent', '{"mode":"stopped","seconds":30}'), [204, '']);
  assert.deepEqual(patches, [['n-1', { metadata: { annotations: agentAnnotations('stopped', 40_000) } }]]);
  assert.deepEqual(await put('/nodes/gone/agent', '{"mode":"off"}'), [404, 'there is no node gone']);
  assert.equal((await put('/nodes/n-1/agent', 'x'.repeat(5000)))[0], 413);
  assert.equal((await put('/nodes/n-1/agent', '{"mode":"off"}', 'POST'))[0], 404);
  assert.equal((await put('/elsewhere', '{"mode":"off"}'))[0], 404);
  assert.equal(patches.length, 1);
});
