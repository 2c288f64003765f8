/** Text side of the comparator: what each criteria word asks of a text. */

import { Pattern } from '@turnsole/kube/text/pattern';
import type { TextCriteria } from '../../api/validation/comparator.ts';

/** One criteria word for texts. */
interface TextRule {
  /** `list`: the value is a comma list; `text`: as it stands, commas and all. */
  readonly takes: 'text' | 'list';
  holds(actual: string, expected: readonly string[]): boolean;
  /** Text for a failure, as users know it from upstream. */
  reason(actual: string, expected: string): string;
}

function textRule(holds: (actual: string, expected: string) => boolean, words: string): TextRule {
  return {
    takes: 'text',
    holds: (actual, [expected = '']) => holds(actual, expected),
    reason: (actual, expected) => `Actual value: ${actual}. Expected value: ${words} ${expected}`,
  };
}

const equal = textRule((a, b) => a === b, 'equal to');
const notEqual = textRule((a, b) => a !== b, 'should not be equal to');
const contains = textRule((a, b) => a.includes(b), 'should contain');
const matches = textRule((a, b) => Pattern.read(b).isIn(a), 'should match regex');
const notMatches = textRule((a, b) => !Pattern.read(b).isIn(a), 'should not match regex:');
const oneOf: TextRule = {
  takes: 'list',
  holds: (actual, expected) => expected.includes(actual),
  reason: (actual, expected) =>
    `Actual value: ${actual}. Expected values: should match one of following [[${expected}]]`,
};

/** Criteria of type string by their exact words. */
export const TEXT_RULES: Readonly<Record<TextCriteria, TextRule>> = {
  equal,
  Equal: equal,
  notEqual,
  NotEqual: notEqual,
  contains,
  Contains: contains,
  matches,
  Matches: matches,
  notMatches,
  NotMatches: notMatches,
  oneOf,
  OneOf: oneOf,
};
