import assert from 'node:assert/strict';
import { test } from 'node:test';
import { equalJson, equivalentJson } from './json.ts';

test('equalJson compares values as written, equivalentJson by what they mean to Kubernetes', () => {
  const rows: readonly [left: unknown, right: unknown, equal: boolean, equivalent: boolean][] = [
    [{ a: 1, b: [{ c: 'x' }] }, { b: [{ c: 'x' }], a: 1 }, true, true],
    [{ a: undefined }, {}, true, true],
    [{}, { a: undefined }, true, true],
    [{ a: null }, {}, false, true],
    [{ a: [] }, {}, false, true],
    [{}, { a: [] }, false, true],
    [{ a: [] }, { a: null }, false, true],
    [{ emptyDir: {} }, {}, false, false],
    [{}, { emptyDir: {} }, false, false],
    [{ a: '' }, {}, false, false],
    [{ a: 0 }, { a: false }, false, false],
    [[1, 2], [2, 1], false, false],
    [[1], [1, 2], false, false],
    [[], {}, false, false],
    [{ a: 1 }, [1], false, false],
    [{ a: 1 }, 'text', false, false],
  ];
  for (const [left, right, equal, equivalent] of rows) {
    const row = `${JSON.stringify(left)} and ${JSON.stringify(right)}`;
    assert.equal(equalJson(left, right), equal, row);
    assert.equal(equivalentJson(left, right), equivalent, row);
  }
});
