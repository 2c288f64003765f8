import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseWarnings } from './warnings.ts';

const CASES: readonly [what: string, header: string | undefined, texts: readonly string[]][] = [
  ['none', undefined, []],
  ['one', '299 - "unknown field \\"spec.typo\\""', ['unknown field "spec.typo"']],
  ['several', '299 - "a, b", 299 kube "c"', ['a, b', 'c']],
  ['escaped characters', '299 - "\\u00e9\\\\"', ['é\\']],
  ['escapes of nothing', '299 - "it\\\'s \\odd"', ["it's odd"]],
  ['other codes and rubbish', '199 - "cache", 299 -, 299 - "open', []],
];
for (const [what, header, texts] of CASES) {
  test(`warnings: ${what}`, () => assert.deepEqual(parseWarnings(header), texts));
}
