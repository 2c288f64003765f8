/** Text side of the comparator: what each criteria word asks of a text. */
import { compileRegex } from '../api/regex.ts';

/** One criteria word for texts. */
export interface TextRule {
  /** `list`: the value is a comma list; `pattern`: a regular expression; `text`: as it stands, commas and all. */
  readonly takes: 'text' | 'pattern' | 'list';
  holds(actual: string, expected: readonly string[]): boolean;
  /** Text for a failure, as users know it from upstream. */
  reason(actual: string, expected: string): string;
}

function textRule(
  takes: 'text' | 'pattern',
  holds: (actual: string, expected: string) => boolean,
  words: string,
): TextRule {
  return {
    takes,
    holds: (actual, [expected = '']) => holds(actual, expected),
    reason: (actual, expected) => `Actual value: ${actual}. Expected value: ${words} ${expected}`,
  };
}

const equal = textRule('text', (a, b) => a === b, 'equal to');
const notEqual = textRule('text', (a, b) => a !== b, 'should not be equal to');
const contains = textRule('text', (a, b) => a.includes(b), 'should contain');
const matches = textRule('pattern', (a, b) => compileRegex(b).test(a), 'should match regex');
const notMatches = textRule('pattern', (a, b) => !compileRegex(b).test(a), 'should not match regex:');
const oneOf: TextRule = {
  takes: 'list',
  holds: (actual, expected) => expected.includes(actual),
  reason: (actual, expected) =>
    `Actual value: ${actual}. Expected values: should match one of following [[${expected}]]`,
};

/** Criteria of type string by their exact words. */
export const TEXT_RULES: ReadonlyMap<string, TextRule> = new Map([
  ['equal', equal],
  ['Equal', equal],
  ['notEqual', notEqual],
  ['NotEqual', notEqual],
  ['contains', contains],
  ['Contains', contains],
  ['matches', matches],
  ['Matches', matches],
  ['notMatches', notMatches],
  ['NotMatches', notMatches],
  ['oneOf', oneOf],
  ['OneOf', oneOf],
]);
