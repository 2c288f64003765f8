import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { WebSocket } from 'ws';
import { type AttackScene, MARK, openAttackScene } from './scene.ts';

const WATCH = (project: string) => `subscription { watchProject(projectID: "${project}") { cursor } }`;

/** Frames of each row, after the connection is open; the connection has to end, or to answer with an error, and never with data. */
type Frames = (scene: AttackScene) => readonly string[];

const start = (query: string, type: string, payload: object = {}): string =>
  JSON.stringify({ id: '1', type, payload: { query, ...payload } });
const init = (payload: object = {}): string => JSON.stringify({ type: 'connection_init', payload });

type Row = readonly [title: string, protocol: string, frames: Frames];

const ROWS: readonly Row[] = (
  [
    ['graphql-ws', 'start'],
    ['graphql-transport-ws', 'subscribe'],
  ] as const
).flatMap(([protocol, type]): Row[] => [
  [`${protocol}: without a token`, protocol, ({ project }) => [init(), start(WATCH(project), type)]],
  [
    `${protocol}: with a forged token`,
    protocol,
    ({ project }) => [init({ Authorization: 'Bearer a.b.c' }), start(WATCH(project), type)],
  ],
  [
    `${protocol}: a project of others`,
    protocol,
    ({ project, stranger }) => [
      init({ Authorization: `Bearer ${stranger.token}` }),
      start(WATCH(project), type),
    ],
  ],
  [
    `${protocol}: a subscription before the init`,
    protocol,
    ({ project }) => [start(WATCH(project), type), init()],
  ],
  [`${protocol}: no JSON`, protocol, () => ['{']],
  [`${protocol}: a list`, protocol, () => ['[]', init(), '[]']],
  [`${protocol}: null`, protocol, () => ['null']],
  [
    `${protocol}: a prototype as type`,
    protocol,
    () => [JSON.stringify({ type: '__proto__' }), init(), JSON.stringify({ id: '1', type: 'constructor' })],
  ],
  [
    `${protocol}: an id that is an object`,
    protocol,
    ({ project }) => [init(), JSON.stringify({ id: {}, type, payload: { query: WATCH(project) } })],
  ],
  [
    `${protocol}: an agent without a key`,
    protocol,
    ({ agent }) => [
      init(),
      start(
        `subscription { infraConnect(request: { infraID: "${agent.infraID}", accessKey: "", version: "3.31.0" }) { projectID } }`,
        type,
      ),
    ],
  ],
  [`${protocol}: an endless frame`, protocol, () => [`"${'x'.repeat(20_000_000)}"`]],
]);

test('websockets', async (t) => {
  const scene: AttackScene = await openAttackScene();
  const url = (await scene.server.listen()).replace('http', 'ws');
  for (const [title, protocol, frames] of ROWS) {
    await t.test(title, async () => {
      const socket = new WebSocket(`${url}/query`, [protocol]);
      const seen: string[] = [];
      const refused = new Promise<void>((resolve) => {
        socket.on('close', () => resolve());
        socket.on('error', () => resolve());
        socket.on('message', (data) => {
          seen.push(data.toString());
          if (/"type":"(error|connection_error|complete)"|"errors":/.test(data.toString())) resolve();
        });
      });
      await once(socket, 'open');
      const limit = AbortSignal.timeout(PATIENCE_MS);
      const late = once(limit, 'abort').then(() =>
        assert.fail(`neither refused nor ended: ${seen.join(' ')}`),
      );
      for (const frame of frames(scene)) if (socket.readyState === socket.OPEN) socket.send(frame);
      await Promise.race([refused, late]);
      socket.terminate();
      assert.doesNotMatch(seen.join(), new RegExp(`${MARK}|"cursor"`));
    });
  }
});
