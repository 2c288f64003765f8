import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import { Pattern, PatternError } from './pattern.ts';

/** Pattern, texts that Go's regexp finds something in, texts that it does not. */
const PATTERNS: readonly [pattern: string, matching: readonly string[], other: readonly string[]][] = [
  ['', ['', 'a'], []],
  ['b', ['abc'], ['ac']],
  ['^(a|b)$', ['a', 'b'], ['ab', '', 'a\n']],
  ['(?i)HELLO', ['say hello'], ['help']],
  ['(?i:h)ello', ['Hello', 'hello'], ['HELLO']],
  ['a(?i)b', ['ab', 'aB'], ['AB']],
  ['a(?i)b|c', ['aB', 'C'], ['A', 'B']],
  ['(a(?i)b)c', ['aBc'], ['aBC']],
  ['(?s)a.b', ['a\nb'], []],
  ['a.b', ['a\rb'], ['a\nb']],
  ['(?m)^b$', ['a\nb\nc'], ['abc']],
  ['(?U)^a+?$', ['aaa'], ['b']],
  ['(?P<word>\\w+)-\\d', ['ab-1'], ['ab-x']],
  ['(?<word>\\w+)-\\d', ['ab-1'], ['ab-x']],
  ['\\Aab\\z', ['ab'], ['ab\n', 'xab']],
  ['(?m)\\Aab\\z', ['ab'], ['ab\nab']],
  ['^[[:alpha:]]+$', ['abc'], ['a1']],
  ['^[[:^digit:]]+$', ['abc'], ['a1']],
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
  ['\\s', [' ', '\t'], ['\u00a0', '\v']],
  ['\\S', ['\u00a0'], [' ']],
  ['^\\w+$', ['a_1'], ['é']],
  ['^\\d$', ['1'], ['١']],
  ['^.$', ['😀'], ['ab']],
  ['status: (Running|Succeeded)', ['status: Running'], ['status: Failed']],
];

const REFUSED: readonly [pattern: string, problem: RegExp][] = [
  ['(', /does not compile: missing closing \)/],
  [')', /unexpected \)/],
  ['[a', /missing closing ]/],
  ['a**', /invalid nested repetition operator/],
  ['(?=a)', /`\(\?=`; RE2, the syntax of Go, has no look-around such as \(\?=…\)$/],
  ['(?!a)', /no look-around/],
  ['(?<=a)b', /no look-around/],
  ['(?<!a)b', /no look-around/],
  ['(a)\\1', /`\\1`; RE2, the syntax of Go, has no back references such as \\1$/],
  ['(?<n>a)\\k<n>', /no back references/],
  ['(?>a)', /no possessive repetitions such as a\+\+$/],
  ['a++', /no possessive repetitions/],
  ['a\\', /trailing backslash/],
  ['\\y', /invalid escape sequence: `\\y`$/],
  ['\\C', /invalid escape sequence/],
  ['(?P<a', /invalid named capture/],
  ['(?<n>a)(?<n>b)', /duplicate capture group name/],
  ['[z-a]', /invalid character class range/],
  ['[[:nonsense:]]', /invalid character class range/],
  ['x{1001}', /invalid repeat count/],
  ['((x{100}){100}){2}', /invalid repeat count/],
  ['a'.repeat(20_001), /^pattern "a{200}…" does not compile: it is longer than 20000 characters$/],
  ['(?:abcdefghijklmnopqrstuvwxyz){1000}', /does not compile: it is too large; repeat less in it$/],
  [`${'('.repeat(1_001)}${')'.repeat(1_001)}`, /nests too deeply/],
];

describe('a pattern', () => {
  for (const [pattern, matching, other] of PATTERNS) {
    it(`reads ${pattern}`, () => {
      const read = Pattern.read(pattern);
      for (const text of matching) assert.equal(read.isIn(text), true, JSON.stringify(text));
      for (const text of other) assert.equal(read.isIn(text), false, JSON.stringify(text));
    });
  }
  for (const [pattern, problem] of REFUSED) {
    it(`refuses ${pattern.slice(0, 40)}`, () => {
      assert.throws(
        () => Pattern.read(pattern),
        (error) => error instanceof PatternError && problem.test(error.message),
      );
    });
  }
});

/** Pattern and text on which an engine that goes back takes from minutes to longer than the world is old. */
const ENDLESS: readonly [pattern: string, text: string][] = [
  ['^(\\w+\\s?)*$', `${'word '.repeat(14)}!`],
  ['^(0+)+$', `${'0'.repeat(40)}!`],
  ['^(a+)+$', `${'a'.repeat(100_000)}!`],
  ['"status":.*"ok".*"status":.*"degraded"', '{"status":"ok","detail":"none"},'.repeat(30_000)],
  ['(x+x+)+y', 'x'.repeat(100_000)],
  ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(100_000)],
  [`${'a?'.repeat(50)}${'a{50}$'}`, `${'a'.repeat(99)}b`],
];

for (const [pattern, text] of ENDLESS) {
  test(`a search ends: ${pattern.slice(0, 40)} in ${text.length} characters`, () => {
    assert.equal(Pattern.read(pattern).isIn(text), false);
    assert.equal(Pattern.read(pattern).first(text), undefined);
  });
}

test('what is too much for a search is refused', () => {
  const large = Pattern.read('(?:abcdefghij){1000}');
  const expected = /^pattern ".*" on a text of 20000 characters takes too many steps; shorten one of them$/;
  for (const search of [(text: string) => large.isIn(text), (text: string) => large.all(text)]) {
    assert.throws(() => search('x'.repeat(20_000)), { name: 'PatternError', message: expected });
  }
  // Each match looks to the end of the text for a letter that is not there.
  assert.throws(() => Pattern.read('a.*b|a').all('a'.repeat(100_000)), { message: /takes too many steps/ });
});

test('searches with one budget share it', () => {
  const budget = { steps: 100 };
  const pattern = Pattern.read('a');
  assert.equal(pattern.isIn('b'.repeat(20), budget), false);
  assert.throws(() => pattern.isIn('b'.repeat(20), budget), PatternError);
});

/** As Go's FindAllStringIndex and ReplaceAllString have it. */
const ALL: readonly [pattern: string, text: string, found: readonly [index: number, text: string][]][] = [
  [
    'a*',
    'baaac',
    [
      [0, ''],
      [1, 'aaa'],
      [5, ''],
    ],
  ],
  [
    '',
    '😀a',
    [
      [0, ''],
      [2, ''],
      [3, ''],
    ],
  ],
  [
    '\\d+',
    'a 12 b 3',
    [
      [2, '12'],
      [7, '3'],
    ],
  ],
  ['^a', 'aaa', [[0, 'a']]],
  ['x', 'abc', []],
];

for (const [pattern, text, expected] of ALL) {
  test(`all places of ${JSON.stringify(pattern)} in ${text}`, () => {
    const found = Pattern.read(pattern).all(text);
    assert.deepEqual(
      found.map((match) => [match.index, match.text]),
      expected,
    );
    assert.deepEqual(Pattern.read(pattern).all(text, 1), found.slice(0, 1));
  });
}

test('groups are given by number and by name', () => {
  const [match] = Pattern.read('(?P<y>\\d+)-(?:(?P<m>x)|(z))').all('a 12-z');
  assert.deepEqual(match?.groups, ['12', undefined, 'z']);
  assert.deepEqual(match?.named, { y: '12', m: undefined });
  const swapped = Pattern.read('(\\w)(\\d)').replaceAll('a1 b2', ({ groups: [a, b] }) => `${b}${a}`);
  assert.equal(swapped, '1a 2b');
});

test('a pattern for a whole text is one before it is put between parentheses', () => {
  assert.equal(Pattern.whole('a|b').isIn('b'), true);
  assert.equal(Pattern.whole('a|b').isIn('ab'), false);
  assert.equal(Pattern.whole('(?m)a$').isIn('a\nb'), false);
  assert.throws(() => Pattern.whole('a)|(b'), PatternError);
});

/** Patterns that mean the same to Go and to JavaScript; what is repeated takes a character at least. */
const { common } = fc.letrec<{ common: string; solid: string }>((tie) => ({
  solid: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('a', 'b', 'c', '.', '[ab]', '[^a]', '\\d', '\\w', '\\x41', '-'),
    fc.tuple(tie('solid'), tie('common')).map(([one, other]) => `${one}${other}`),
    fc.tuple(tie('solid'), tie('solid')).map(([one, other]) => `(?:${one}|${other})`),
  ),
  common: fc.oneof(
    { maxDepth: 3 },
    tie('solid'),
    fc.constantFrom('^', '$', '\\b', ''),
    fc
      .tuple(tie('solid'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '*?', '+?', '{0,2}?'))
      .map(([one, times]) => `(${one})${times}`),
    fc.tuple(tie('common'), tie('common')).map(([one, other]) => `${one}${other}`),
    fc.tuple(tie('common'), tie('common')).map(([one, other]) => `(?:${one}|${other})`),
  ),
}));

test('what Go and JavaScript both know means the same', () => {
  const texts = fc.array(fc.constantFrom('a', 'b', 'c', 'A', '1', '-', ' ', '\n'), { maxLength: 12 });
  fc.assert(
    fc.property(common, texts, (source, letters) => {
      const text = letters.join('');
      const expected = new RegExp(source, 'u').exec(text);
      const pattern = Pattern.read(source);
      assert.equal(pattern.isIn(text), expected !== null);
      const found = pattern.first(text);
      // Groups differ: JavaScript forgets those of an earlier round of a repetition.
      assert.deepEqual([found?.index, found?.text], [expected?.index, expected?.[0]]);
    }),
    { numRuns: 2_000 },
  );
});
