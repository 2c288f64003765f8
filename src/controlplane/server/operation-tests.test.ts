import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { GRAPHQL_OPERATIONS, REST_OPERATIONS } from '../access/operations.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
/** What only a server for one person has is tested by its command. */
const TESTS = ['src/controlplane/**/*.api.test.ts', 'test/e2e/ui.test.ts'];
/** A test says in its name which operations it is about. */
const TITLE = /\b(?:test|it)\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`([^`]*)`)/g;

/** Files with tests over HTTP, by the operation that their names say. */
function testsByOperation(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const names = [...GRAPHQL_OPERATIONS, ...REST_OPERATIONS].map(({ name }) => name);
  for (const path of globSync(TESTS, { cwd: ROOT })) {
    const titles = [...readFileSync(join(ROOT, path), 'utf8').matchAll(TITLE)].map(
      ([, a, b, c]) => a ?? b ?? c ?? '',
    );
    for (const name of names.filter((one) => titles.some((title) => isNamed(title, one)))) {
      found.set(name, [...(found.get(name) ?? []), path]);
    }
  }
  return found;
}

/** The name stands in the title, and is not the beginning or the end of a longer one. */
function isNamed(title: string, name: string): boolean {
  return [...title.matchAll(/(?:GET|POST) [\w/:-]*\w|\w+/g)].some(([word]) => word === name);
}

test('every operation has tests over HTTP that name it', () => {
  const tests = testsByOperation();
  const without = [...GRAPHQL_OPERATIONS, ...REST_OPERATIONS].filter(({ name }) => !tests.has(name));

  assert.deepEqual(
    without.map(({ name }) => name),
    [],
  );
});

for (const [title, name, expected] of [
  ['getInfra, getInfraStats', 'getInfra', true],
  ['getInfraStats', 'getInfra', false],
  ['GET /users, POST /create_user', 'GET /users', true],
  ['GET /token/:uid', 'GET /token/:uid', true],
] as const) {
  test(`"${name}" is ${expected ? '' : 'not '}named by "${title}"`, () => {
    assert.equal(isNamed(title, name), expected);
  });
}
