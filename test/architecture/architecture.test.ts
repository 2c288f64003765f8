import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { circlesOf, isOfTests, readImports, roomOf } from './imports.ts';
import { MOST_FOLDERS, ROOMS } from './rooms.ts';

const graph = readImports();

test('every folder at the top of src is a room of the table, and the table has no others', () => {
  const folders = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assert.deepEqual(folders.map(({ name }) => name).toSorted(), Object.keys(ROOMS).toSorted());
  assert.ok(
    folders.length <= MOST_FOLDERS,
    `src has ${folders.length} folders, at most ${MOST_FOLDERS} may be`,
  );
  assert.deepEqual(
    [...graph.keys()].filter((file) => roomOf(file) === undefined),
    [],
    'files outside of rooms',
  );
});

test('docs/architecture.md shows the same table', () => {
  const rows = readFileSync('docs/architecture.md', 'utf8').matchAll(
    /^\| `src\/([a-z]+)` \|[^|]*\|([^|]*)\|$/gm,
  );
  const shown = [...rows].map(([, room = '', cell = '']) => [room, importsInWords(cell)]);
  const rooms = Object.entries(ROOMS).map(([room, imports]) => [room, imports.toSorted()]);
  assert.deepEqual(Object.fromEntries(shown), Object.fromEntries(rooms));
});

function importsInWords(cell: string): string[] {
  const words = cell.trim();
  return words === 'nothing' ? [] : words.split(', ').toSorted();
}

test('a room imports only what its row allows', () => {
  const wrong: string[] = [];
  for (const [file, imports] of graph) {
    const from = roomOf(file) ?? '';
    for (const target of imports) {
      const to = roomOf(target);
      if (to === undefined || (to !== from && ROOMS[from]?.includes(to) !== true)) {
        wrong.push(`${file} imports ${target}: ${from} may import ${ROOMS[from]?.join(', ') || 'nothing'}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});

test('the table has no circle', () => {
  assert.deepEqual(circlesOf(new Map(Object.entries(ROOMS))), []);
});

test('no files import one another in a circle', () => {
  assert.deepEqual(circlesOf(graph), []);
});

test('production code imports nothing that serves tests', () => {
  const wrong = [...graph].flatMap(([file, imports]) =>
    imports.filter(isOfTests).map((target) => `${file} imports ${target}`),
  );
  assert.deepEqual(wrong, []);
});

test('circles are found', () => {
  const graph = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', ['a']],
    ['d', ['e']],
    ['e', []],
  ]);
  assert.deepEqual(circlesOf(graph), [['a', 'b', 'c']]);
});
