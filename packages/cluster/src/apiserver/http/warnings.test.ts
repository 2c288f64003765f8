import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { warningHeader } from './warnings.ts';

describe('warnings', () => {
  for (const [name, warnings, expected] of [
    ['one', ['unknown field "a"'], '299 - "unknown field \\"a\\""'],
    ['several in one line', ['a', 'b'], '299 - "a", 299 - "b"'],
    [
      'line ends and letters that no header may hold',
      ['漢\r\nX: é\u007f'],
      '299 - "\\u6f22\\r\\nX: \\u00e9\\u007f"',
    ],
    ['what fits of many', ['a', 'x'.repeat(5_000), 'b'], '299 - "a"'],
    [
      'nothing of what never fits',
      ['x'.repeat(5_000)],
      '299 - "there are warnings, which are too long to be shown"',
    ],
  ] as const) {
    it(`are a header: ${name}`, () => assert.equal(warningHeader(warnings), expected));
  }
});
