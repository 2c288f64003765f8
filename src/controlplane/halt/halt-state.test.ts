import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leverReport } from './halt-state.ts';

const said = (isDone: boolean, message: string) => ({ isDone, message });
const NOTHING = { message: '', reverted: [], left: [] };

for (const [name, hasLever, outcome, expected] of [
  ['of an agent without a lever', false, undefined, { state: 'WITHOUT_LEVER', ...NOTHING }],
  ['that nobody has told of', true, undefined, { state: 'WAITING', ...NOTHING }],
  ['that was released', true, said(true, 'released'), { state: 'DONE', ...NOTHING }],
  [
    'of an agent that does not know it',
    true,
    said(false, 'the request type "halt" is not known'),
    { state: 'REFUSED', ...NOTHING, message: 'the request type "halt" is not known' },
  ],
  [
    'that has reverted everything',
    true,
    said(true, '{"reverted":["a"],"left":[]}'),
    { state: 'DONE', message: '', reverted: ['a'], left: [] },
  ],
  [
    'that has not',
    true,
    said(false, '{"reverted":[],"left":["b"]}'),
    { state: 'LEFT', message: '', reverted: [], left: ['b'] },
  ],
] as const) {
  test(`a lever ${name}`, () => assert.deepEqual(leverReport(hasLever, outcome), expected));
}
