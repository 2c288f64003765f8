import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evaluateJsonPath, JsonPathError, parseJsonPath } from './json-path.ts';

describe('JSON paths', () => {
  const value = {
    a: {
      'b.c': 1,
      list: [
        { t: 'x', v: 1 },
        { t: 'y', v: 2 },
      ],
    },
  };
  for (const [path, expected] of [
    ['.a', [value.a]],
    ['{.a.list[0].v}', [1]],
    ['.a.list[*].v', [1, 2]],
    ['.a.list[?(@.t=="y")].v', [2]],
    ['.a.list[?(@.v>1)].t', ['y']],
    [".a['b.c']", [1]],
    ['.a.b\\.c', [1]],
    ['.a.nope', []],
    ['.a.list[-1:].v', [2]],
    ['..v', [1, 2]],
    ['.a.list[?(@.t)].v', [1, 2]],
    ['.a.list[?(@.t==")]")].v', []],
    ['.a[', undefined],
    ['a.b', undefined],
    ['...a', undefined],
    ['.a.list[?(@.t=="y" && @.v>1)]', undefined],
  ] as const) {
    it(path, () => {
      if (expected === undefined) assert.throws(() => parseJsonPath(path), JsonPathError);
      else assert.deepEqual(evaluateJsonPath(parseJsonPath(path), value), expected);
    });
  }
});
