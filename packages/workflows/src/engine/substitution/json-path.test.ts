import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readJsonPath } from './json-path.ts';

const TEXT = '{"a": [1, {"b-c": "d"}], "list": [{"n": "x", "age": 41}, {"n": "y", "age": 43}]}';

describe('paths', () => {
  const rows: readonly [path: string, found: unknown][] = [
    ['$.a[0]', 1],
    ["$.a[1]['b-c']", 'd'],
    ['$.list[-1].n', 'y'],
    ['$.list[*].n', ['x', 'y']],
    ['$..n', ['x', 'y']],
    ['$.list[0:1]', [{ n: 'x', age: 41 }]],
    ['$.list[?(@.n=="y")].age', [43]],
    ['$.list[?(@.age>42 && @.age<44)].n', ['y']],
    ['$', JSON.parse(TEXT)],
  ];
  for (const [path, found] of rows) test(path, () => assert.deepEqual(readJsonPath(TEXT, path), found));
});

test('a place that is not there, a path that is none and a text that is no JSON are errors', () => {
  assert.throws(() => readJsonPath(TEXT, '$.nope'), /finds nothing/);
  assert.throws(() => readJsonPath(TEXT, '$.a['), /cannot be read/);
  assert.throws(() => readJsonPath('{', '$.a'), /no JSON/);
});
