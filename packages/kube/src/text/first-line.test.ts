import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstLine } from './first-line.ts';

test('the first line that is none of blanks, cut, with what cannot be seen written out', () => {
  const table: readonly [string, string][] = [
    ['', ''],
    [' \n\r\n', ''],
    ['\n  {"sent": 5}\n more', '{"sent": 5}'],
    ['a\tb', 'a b'],
    ['\u001b[31mred\u0000', '\\x1b[31mred\\x00'],
    ['a\u202eb\u2028c', 'a\\u202eb\\u2028c'],
    ['123456789012', '1234567890…'],
  ];
  for (const [text, line] of table) assert.equal(firstLine(text, 10 + (text.startsWith('1') ? 0 : 20)), line);
});
