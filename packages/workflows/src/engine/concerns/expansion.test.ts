import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WorkflowStep } from '../../kinds/template.ts';
import { expandLoop } from './expansion.ts';

function names(loop: Partial<WorkflowStep>): string[] {
  return expandLoop({ name: 'x', template: 't', ...loop })?.map(({ name }) => name) ?? ['x'];
}

describe('names of elements', () => {
  const rows: readonly [loop: Partial<WorkflowStep>, names: readonly string[]][] = [
    [{}, ['x']],
    [{ withItems: ['a b', 1.5, true] }, ['x(0:a b)', 'x(1:1.5)', 'x(2:true)']],
    [{ withItems: ['par(en)s', 'quo"te'] }, ['x(0:parens)', String.raw`x(1:quo\"te)`]],
    [{ withItems: [{ b: 2, a: 1 }, ['l', { k: 'v' }]] }, ['x(0:a:1,b:2)', 'x(1:[l {"k":"v"}])']],
    [
      { withItems: [{ k: [1, 2], m: { n: 'o' }, s: 'a b', t: true }] },
      ['x(0:k:[1,2],m:{"n":"o"},s:a b,t:true)'],
    ],
    [{ withParam: '["a"]' }, ['x(0:a)']],
    [{ withParam: '[]' }, []],
    [{ withItems: [], withParam: '["a"]' }, ['x(0:a)']],
    [{ withItems: [], withParam: '' }, ['x']],
    [{ withSequence: { count: '2', start: 5 } }, ['x(0:5)', 'x(1:6)']],
    [{ withSequence: { start: 1, end: '0' } }, ['x(0:1)', 'x(1:0)']],
    [{ withSequence: { count: 1, format: 'u%02X' } }, ['x(0:u00)']],
    [{ withSequence: { count: 0 } }, []],
  ];
  for (const [loop, expected] of rows)
    test(JSON.stringify(loop), () => assert.deepEqual(names(loop), expected));
});

describe('loops that cannot be', () => {
  const rows: readonly [loop: Partial<WorkflowStep>, message: RegExp][] = [
    [{ withParam: '{"a":1}' }, /cannot unmarshal object into Go value of type \[\]v1alpha1\.Item$/],
    [{ withParam: '[1' }, /unexpected end of JSON input$/],
    [{ withSequence: {} }, /neither end nor count was specified in withSequence$/],
    [{ withSequence: { count: 'many' } }, /withSequence\.count must be an integer, but is "many"$/],
    [{ withSequence: { count: 100_001 } }, /at most 100000 are run$/],
  ];
  for (const [loop, message] of rows) {
    test(JSON.stringify(loop), () => assert.throws(() => names(loop), message));
  }
});

test('an element says what item stands for', () => {
  const [first] = expandLoop({ name: 'x', withItems: [{ t: 'u' }] }) ?? [];
  assert.equal(first?.item.get('item.t'), 'u');
  assert.equal(first?.item.get('item'), '{"t":"u"}');
});
