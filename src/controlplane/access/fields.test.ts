import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  optionalChoice,
  optionalCount,
  optionalText,
  optionalTexts,
  optionalTruth,
  readFields,
  requiredText,
  secretText,
} from './fields.ts';

const FIELDS = {
  name: requiredText(5),
  note: optionalText(),
  password: secretText,
  tags: optionalTexts(2),
  mine: optionalTruth,
  page: optionalCount(0, 10),
  sort: optionalChoice(['name', 'time']),
};
const GOOD = { name: ' ann ', password: ' p ' };

test('what is given is read, from JSON and from a query', () => {
  assert.deepEqual(readFields({ ...GOOD, tags: ['a'], mine: 'true', page: '3', sort: 'time' }, FIELDS), {
    ...{ name: 'ann', note: undefined, password: ' p ', tags: ['a'], mine: true, page: 3, sort: 'time' },
  });
  assert.equal(readFields({ ...GOOD, mine: false, page: 10 }, FIELDS).mine, false);
});

const REFUSED: readonly [name: string, args: object, sentence: string][] = [
  ['an unknown field', { admin: true }, 'admin is unknown'],
  ['a name of the prototype', { constructor: 1 }, 'constructor is unknown'],
  ['a text that is empty', { name: '  ' }, 'name is missing'],
  ['a text that is none', { name: 1 }, 'name is no text'],
  ['a text that is too long', { name: 'abcdef' }, 'name has 6 characters; 5 are allowed'],
  ['a password that is missing', { password: '' }, 'password is missing'],
  ['a list that is none', { tags: 'a' }, 'tags is no list'],
  ['a list that is too long', { tags: ['a', 'b', 'c'] }, 'tags has 3 entries; 2 are allowed'],
  ['a truth that is none', { mine: 'yes' }, 'mine is neither true nor false'],
  ['a negative page', { page: '-1' }, 'page is no whole number from 0 to 10'],
  ['a page with a point', { page: 1.5 }, 'page is no whole number from 0 to 10'],
  ['a page twice', { page: ['1', '2'] }, 'page is no whole number from 0 to 10'],
  ['an unknown order', { sort: 'size' }, 'sort is none of name, time'],
];

for (const [name, args, message] of REFUSED) {
  test(`refused: ${name}`, () => {
    assert.throws(() => readFields({ ...GOOD, ...args }, FIELDS), { name: 'Refusal', message });
  });
}
