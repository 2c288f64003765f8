import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tail } from './tail.ts';

const CASES: readonly (readonly [name: string, texts: readonly string[], limit: number, text: string])[] = [
  ['nothing', [], 10, ''],
  ['all of it fits, to the last byte', ['a\nb\n', 'c\n'], 6, 'a\nb\nc\n'],
  [
    'texts go as a whole, lines of the first one that stays one by one',
    ['a\nb\n', 'c\nd\n', 'e\n'],
    4,
    '[6 bytes before this are left out]\nd\ne\n',
  ],
  ['a line that would be cut goes', ['abc\nd\n'], 4, '[4 bytes before this are left out]\nd\n'],
  [
    'the last line stays, however long',
    ['a\n', 'bcdefghijk\n'],
    4,
    '[2 bytes before this are left out]\nbcdefghijk\n',
  ],
  ['bytes are counted, not characters', ['éé\n', 'é\n'], 5, '[5 bytes before this are left out]\né\n'],
];

for (const [name, texts, limit, text] of CASES) {
  test(`the end of a log: ${name}`, () => {
    const tail = new Tail(limit);
    for (const one of texts) tail.push(one);
    assert.equal(tail.text(), text);
    assert.equal(tail.isEmpty, texts.length === 0);
  });
}

test('the end of a log: little more is held than the limit', () => {
  const tail = new Tail(1_000);
  for (let count = 0; count < 10_000; count++) tail.push(`${'x'.repeat(99)}\n`);
  const lines = tail.text().split('\n');
  assert.equal(lines[0], '[999000 bytes before this are left out]');
  assert.equal(lines.length, 12);
});
