import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { findFaults } from './find-faults.ts';

const folder = mkdtempSync(join(tmpdir(), 'turnsole-find-faults-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const AT_HOME = file('faults/pod-mark.js');
for (const name of ['pod-mark.test.js', 'pod-mark.d.ts', 'notes.md']) file(`faults/${name}`);
file('node_modules/@shop/faults/package.json', '{ "name": "@shop/faults" }');
const OF_PACKAGE = file('node_modules/@shop/faults/faults/pod-freeze.mjs');
file('node_modules/others/package.json', '{ "name": "others", "turnsole": { "faults": "dist" } }');
const OF_NAMED_FOLDER = file('node_modules/others/dist/pod-thaw.js');
file('node_modules/empty/package.json', '{ "name": "empty" }');
file('own/pod-delete.js');

function file(name: string, text = 'export default {};'): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const find = async (...named: readonly string[]): Promise<string[]> =>
  (await findFaults(named, folder)).split(delimiter);

test('a folder gives its modules, a package those of its folder or of the one that it names; tests and types are none', async () => {
  assert.deepEqual(await find('faults', '@shop/faults', 'others'), [AT_HOME, OF_PACKAGE, OF_NAMED_FOLDER]);
  assert.deepEqual(await findFaults(['others'], join(folder, 'faults')), OF_NAMED_FOLDER, 'from further in');
});

const REFUSED: readonly (readonly [named: readonly string[], message: RegExp])[] = [
  [['@shop/none'], /^faults of @shop\/none: there is no such folder, and no such package is installed$/],
  [['empty'], /^faults of empty: .*empty\/faults has no module of a fault /],
  [['faults', './faults'], /^there are two faults pod-mark: of .* and of .*; rename one$/],
  [['own'], /^there are two faults pod-delete: of .*own\/pod-delete\.js and of Turnsole itself; rename one$/],
];
for (const [named, message] of REFUSED)
  test(`refused: ${named.join(', ')}`, () => assert.rejects(find(...named), { message }));
