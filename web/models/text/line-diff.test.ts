import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { lineDiff } from './line-diff.ts';

const SIGNS = { same: ' ', gone: '-', new: '+', 'left-out': '…' } as const;
const shown = (before: string, after: string, around: number): string =>
  lineDiff(before, after, around)
    .map(({ kind, text }) => `${SIGNS[kind]}${text}`)
    .join('|');

const CASES: readonly [name: string, before: string, after: string, shows: string][] = [
  ['nothing', 'a\nb', 'a\nb', ''],
  ['a line that is otherwise', 'a\nb\nc', 'a\nx\nc', ' a|-b|+x| c'],
  ['a line that is new', 'a\nc', 'a\nb\nc', ' a|+b| c'],
  ['a line that is gone, at the end', 'a\nb', 'a', ' a|-b'],
  ['a line that has moved', 'a\nb\nc', 'b\nc\na', '-a| b| c|+a'],
  ['a line amid many', '1\n2\n3\n4\n5\n6', '1\n2\n3\nx\n5\n6', '…2 lines| 3|-4|+x| 5|…one line'],
];
for (const [name, before, after, shows] of CASES) {
  test(`a difference of ${name}`, () => {
    assert.equal(shown(before, after, 1), shows);
  });
}

test('both texts can be read out of their difference', () => {
  const texts = fc
    .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })
    .map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      fc.pre(before !== after);
      const lines = lineDiff(before, after, 100);
      const of = (...kinds: string[]): string =>
        lines
          .filter(({ kind }) => kinds.includes(kind))
          .map(({ text }) => text)
          .join('\n');
      assert.equal(of('same', 'gone'), before);
      assert.equal(of('same', 'new'), after);
    }),
  );
});

test('texts that are too large for a line comparison are shown as changed as a whole', () => {
  const text = (word: string): string => Array.from({ length: 2500 }, (_, at) => `${word} ${at}`).join('\n');
  const lines = lineDiff(text('a'), text('b'), 3);
  assert.equal(lines.length, 5000);
});
