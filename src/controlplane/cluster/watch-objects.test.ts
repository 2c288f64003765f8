import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newestOf } from './watch-objects.ts';

/** An object that was made so many minutes after the others. */
function made(id: string, minute: number, spec: object = {}): Parameters<typeof newestOf>[0][number] {
  const [kind, namespace, name = ''] = id.split('/');
  const creationTimestamp = `2026-11-29T10:${String(minute).padStart(2, '0')}:00Z`;
  const object = {
    metadata: { name, creationTimestamp, ...(namespace !== undefined && { namespace }) },
    spec,
  };
  return { id, kind: kind as never, object };
}

const ALL = [
  made('ChaosEngine/a/old', 1),
  made('ChaosResult/a/old-pod-delete', 5, { engine: 'old' }),
  made('ChaosEngine/a/middle', 3),
  made('ChaosEngine/a/new', 4),
  made('ChaosResult/a/left', 2, { engine: 'gone' }),
];

for (const [what, most, ids] of [
  ['all of them, where that many are asked for', 5, ALL.map(({ id }) => id)],
  ['a result with the engine that it belongs to', 1, ['ChaosResult/a/old-pod-delete', 'ChaosEngine/a/old']],
  ['the newest first', 2, ['ChaosResult/a/old-pod-delete', 'ChaosEngine/a/new', 'ChaosEngine/a/old']],
] as const) {
  test(`of the objects of a cluster are sent: ${what}`, () =>
    assert.deepEqual(
      newestOf(ALL, most).map(({ id }) => id),
      ids,
    ));
}
