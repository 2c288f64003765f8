import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { equalJson } from '@turnsole/kube/text/json';
import fc from 'fast-check';
import { isJson, semanticallyEqual } from './object.ts';

/** What is left on the wire: the definition, for comparison. */
function onTheWire(value: unknown): unknown {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(onTheWire);
  if (!isJson(value)) return value;
  const kept = Object.entries(value).map(([key, item]) => [key, onTheWire(item)] as const);
  const present = kept.filter(([, item]) => item !== undefined);
  return present.length === 0 ? undefined : Object.fromEntries(present);
}

/** Few keys and values, so that equal ones are met often. */
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, undefined, '', 0, false, 1, 'a'),
    fc.array(tie('json'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b'), tie('json'), { maxKeys: 2, noNullPrototype: true }),
  ),
}));

describe('semanticallyEqual', () => {
  it('compares what would be on the wire', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        assert.equal(semanticallyEqual(a, b), equalJson(onTheWire(a), onTheWire(b)));
      }),
      { numRuns: 2000 },
    );
  });

  it('takes empty things for absent ones, and nothing else', () => {
    assert.equal(semanticallyEqual({ a: [], b: { c: null } }, {}), true);
    assert.equal(semanticallyEqual({ a: '' }, {}), false);
    assert.equal(semanticallyEqual({ a: 0 }, {}), false);
    assert.equal(semanticallyEqual({ a: [null] }, {}), false);
    assert.equal(semanticallyEqual({ a: 1 }, { a: 1, b: [] }), true);
  });
});
