import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileRegex, PatternError } from './regex.ts';

/** Pattern, texts that Go's regexp finds something in, texts that it does not. */
const PATTERNS: readonly [pattern: string, matching: readonly string[], other: readonly string[]][] = [
  ['', ['', 'a'], []],
  ['b', ['abc'], ['ac']],
  ['^(a|b)$', ['a', 'b'], ['ab', '']],
  ['(?i)HELLO', ['say hello'], ['help']],
  ['(?i:h)ello', ['Hello', 'hello'], ['HELLO']],
  ['a(?i)b', ['ab', 'aB'], ['AB']],
  ['(a(?i)b)c', ['aBc'], ['aBC']],
  ['(?s)a.b', ['a\nb'], []],
  ['(?m)^b$', ['a\nb\nc'], ['abc']],
  ['(?P<word>\\w+)-\\d', ['ab-1'], ['ab-x']],
  ['\\Aab\\z', ['ab'], ['ab\n', 'xab']],
  ['(?m)\\Aab\\z', ['ab'], ['ab\nab']],
  ['^[[:alpha:]]+$', ['abc'], ['a1']],
  ['[[:digit:]x]', ['1', 'x'], ['a']],
  ['\\Qa.b*c\\E', ['a.b*c'], ['aXbc']],
  ['\\Qa+', ['a+'], ['aa']],
  ['\\pL', ['é'], ['1']],
  ['\\p{Greek}', ['α'], ['a']],
  ['\\PL', ['1'], ['a']],
  ['\\x{1F600}', ['😀'], ['a']],
  ['\\x41', ['A'], ['a']],
  ['\\/\\-\\_\\%', ['/-_%'], ['/']],
  ['[\\w-]+\\.', ['a-b.'], ['ab']],
  ['[\\w-.]', ['-', '.', 'a'], ['+']],
  ['[]a]', [']', 'a'], ['b']],
  ['[^]a]', ['b'], [']']],
  ['a{2}', ['aa'], ['a']],
  ['a{,2}', ['a{,2}'], ['aa']],
  ['{"ok":true}', ['{"ok":true}'], ['ok']],
  ['x}', ['x}'], ['x']],
  ['a]', ['a]'], ['a']],
  ['a{2,3}?b', ['aab'], ['ab']],
  ['\\s', [' ', '\t'], ['\u00a0']],
  ['\\S', ['\u00a0'], [' ']],
  ['^.$', ['😀'], ['ab']],
  ['status: (Running|Succeeded)', ['status: Running'], ['status: Failed']],
];

const REFUSED: readonly [pattern: string, problem: RegExp][] = [
  ['(', /does not compile/],
  [')', /unexpected "\)"/],
  ['[a', /missing closing/],
  ['a**', /does not compile/],
  ['(?=a)', /unsupported group/],
  ['(?<!a)b', /unsupported group/],
  ['(a)\\1', /back reference \\1/],
  ['a\\', /trailing backslash/],
  ['\\y', /invalid escape \\y/],
  ['(?U)a', /flag U/],
  ['(?P<a', /unsupported group/],
  ['a(?i)b|c', /put it first/],
  ['[z-a]', /does not compile/],
  ['[[:nonsense:]]', /unsupported character class/],
  ['[[:^digit:]]', /unsupported character class/],
];

describe('compileRegex', () => {
  for (const [pattern, matching, other] of PATTERNS) {
    it(`reads ${pattern}`, () => {
      const compiled = compileRegex(pattern);
      for (const text of matching) assert.equal(compiled.test(text), true, JSON.stringify(text));
      for (const text of other) assert.equal(compiled.test(text), false, JSON.stringify(text));
    });
  }
  for (const [pattern, problem] of REFUSED) {
    it(`refuses ${pattern}`, () => {
      assert.throws(
        () => compileRegex(pattern),
        (error) => error instanceof PatternError && problem.test(error.message),
      );
    });
  }
});
