import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { circlesOf, isOfTests, readImports, roomOf } from './imports.ts';
import { FREE, INNER_ORDER, MOST_FOLDERS, ORDER, ROOMS } from './rooms.ts';

const graph = readImports();

const ROOM_NAMES = Object.keys(ROOMS);

test('every folder of src is a room of the table or a group of rooms, and the table has no others', () => {
  const groups = new Set(
    ROOM_NAMES.filter((room) => room.includes('/')).map((room) => room.split('/')[0] ?? ''),
  );
  const top = foldersIn('src');
  const found = top.flatMap((folder) =>
    groups.has(folder) ? foldersIn(`src/${folder}`).map((room) => `${folder}/${room}`) : [folder],
  );
  assert.deepEqual(found.toSorted(), ROOM_NAMES.toSorted());
  assert.ok(top.length <= MOST_FOLDERS, `src has ${top.length} folders, at most ${MOST_FOLDERS} may be`);
  assert.deepEqual(
    [...graph.keys()].filter((file) => roomOf(file, ROOM_NAMES) === undefined),
    [],
    'files outside of rooms',
  );
});

function foldersIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

test('docs/architecture.md shows the same table', () => {
  const rows = readFileSync('docs/architecture.md', 'utf8').matchAll(
    /^\| `src\/([a-z/-]+)` \|[^|]*\|([^|]*)\|$/gm,
  );
  const shown = [...rows].map(([, room = '', cell = '']) => [room, importsInWords(cell)]);
  const rooms = Object.entries(ROOMS).map(([room, imports]) => [room, imports.toSorted()]);
  assert.deepEqual(Object.fromEntries(shown), Object.fromEntries(rooms));
});

function importsInWords(cell: string): string[] {
  const words = cell.trim();
  return words === 'nothing' ? [] : words.split(', ').toSorted();
}

test('every file that docs/architecture.md names is there', () => {
  const page = readFileSync('docs/architecture.md', 'utf8');
  const paths = [...page.matchAll(/`([a-z-]+\/[^`\s*…]+)`/g)].map(([, path = '']) => path);
  const files = paths.filter((path) => /\.\w+$/.test(path) || path.startsWith('src/'));
  assert.ok(files.length > 50, 'the page names files');
  assert.deepEqual(
    files.filter((path) => !existsSync(path) && !existsSync(`src/${path}`)),
    [],
  );
});

test('a room imports only what its row allows', () => {
  const wrong: string[] = [];
  for (const [file, imports] of graph) {
    const from = roomOf(file, ROOM_NAMES) ?? '';
    for (const target of imports) {
      if (FREE.test(target)) continue;
      const to = roomOf(target, ROOM_NAMES);
      if (to === undefined || (to !== from && ROOMS[from]?.includes(to) !== true)) {
        wrong.push(`${file} imports ${target}: ${from} may import ${ROOMS[from]?.join(', ') || 'nothing'}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});

for (const [base, order] of Object.entries({ src: ORDER, ...INNER_ORDER })) {
  test(`a folder of ${base} imports only from those that stand before it in the order`, () => {
    const folderOf = (file: string): string => file.slice(base.length + 1).split('/')[0] ?? '';
    const placeOf = (file: string): number => order.findIndex((row) => row.includes(folderOf(file)));
    assert.deepEqual(
      order.flat().toSorted(),
      foldersIn(base)
        .filter((name) => name !== 'testing')
        .toSorted(),
    );
    const isBelow = (file: string): boolean => file.startsWith(`${base}/`) && !folderOf(file).includes('.');
    const wrong = [...(base === 'src' ? graph : readImports(base))]
      .filter(([file]) => isBelow(file))
      .flatMap(([file, imports]) =>
        imports
          .filter((target) => isBelow(target) && folderOf(target) !== folderOf(file))
          .filter((target) => placeOf(target) >= placeOf(file))
          .map((target) => `${file} imports ${target}`),
      );
    assert.deepEqual(wrong, []);
  });
}

test('docs/architecture.md shows the same order', () => {
  const page = readFileSync('docs/architecture.md', 'utf8');
  const shown = /^```text\n(tracing[^`]*)\n```$/m.exec(page)?.[1]?.split(/\s*<\s*/) ?? [];
  assert.deepEqual(
    shown.map((row) => row.split(', ')),
    ORDER,
  );
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
