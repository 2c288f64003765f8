import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { plainLog, plainText } from './plain.ts';

const TEXTS: readonly [name: string, text: string, plain: string][] = [
  ['words stay', 'pod web-1: 503\n\tat once', 'pod web-1: 503\n\tat once'],
  ['markup stays: it is escaped where it is shown', '<b>&amp;', '<b>&amp;'],
  ['a turned direction is shown', 'exe\u202egnp.pass', 'exe\\u202egnp.pass'],
  ['isolates are shown', '\u2066x\u2069', '\\u2066x\\u2069'],
  ['controls are shown', 'a\u0007b\u0000c\u001b[31m', 'a\\u0007b\\u0000c\\u001b[31m'],
  ['what takes no room is shown', 'ad\u200bmin\ufeff', 'ad\\u200bmin\\ufeff'],
  ['characters beyond the first plane are shown whole', 'x\u{e0041}', 'x\\u{e0041}'],
  [
    'joined emoji and Persian stay',
    '\u{1f469}\u200d\u{1f4bb} می\u200cخواهم',
    '\u{1f469}\u200d\u{1f4bb} می\u200cخواهم',
  ],
];
for (const [name, text, plain] of TEXTS) test(`a text: ${name}`, () => assert.equal(plainText(text), plain));

test('a log loses colours and carriage returns of line ends, and shows other controls', () => {
  assert.equal(plainLog('\u001b[1;31mfailed\u001b[0m\r\nnext\u0008\u202e'), 'failed\nnext\\u0008\\u202e');
});

test('whatever a text is, nothing unseen is left, and doing it twice is doing it once', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const plain = plainText(text);
      assert.doesNotMatch(plain, /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}]/u);
      assert.equal(plainText(plain), plain);
    }),
  );
});
