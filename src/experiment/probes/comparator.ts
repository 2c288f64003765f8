/**
 * The comparator: is a measured text the expected one? Words and failure texts are those of upstream's comparator;
 * its oddities (text that is no number counts as 0, a comma changes the meaning) are errors here instead.
 */

import { plainFieldError } from '@turnsole/kube/schema/field-error';
import { PatternError } from '@turnsole/kube/text/pattern';
import type { ComparatorType } from '../../api/schema/vocabulary.ts';
import {
  listItems,
  type NumberCriteria,
  type TextCriteria,
  validateComparator,
} from '../../api/validation/comparator.ts';
import { FLOATS, INTEGERS, NUMBER_RULES, type NumberDomain } from './compare-numbers.ts';
import { TEXT_RULES } from './compare-text.ts';

/** How a measured value is judged. */
export interface ComparatorSpec {
  readonly type: ComparatorType;
  readonly criteria: string;
  readonly value: string;
}

/** The judgement; `error` means that the two could not be compared at all. */
export type Comparison =
  | { readonly outcome: 'match' }
  | { readonly outcome: 'mismatch'; readonly reason: string }
  | { readonly outcome: 'error'; readonly reason: string };

/** Compares the measured value with the expected one. Pure. If the comparator itself is wrong the outcome is `error` too. */
export function compare(spec: ComparatorSpec, actual: string): Comparison {
  const [problem] = validateComparator(spec, ['comparator']);
  if (problem !== undefined) return { outcome: 'error', reason: plainFieldError(problem) };
  switch (spec.type) {
    case 'string':
      return compareText(spec, actual);
    case 'int':
      return compareNumbers(INTEGERS, 'int', spec, actual);
    case 'float':
      return compareNumbers(FLOATS, 'float', spec, actual);
  }
}

function compareText(spec: ComparatorSpec, actual: string): Comparison {
  // Criteria are known here: the comparator has been checked.
  const rule = TEXT_RULES[spec.criteria as TextCriteria];
  const expected = rule.takes === 'list' ? listItems(spec.value) : [spec.value];
  try {
    if (rule.holds(actual, expected)) return { outcome: 'match' };
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return { outcome: 'error', reason: error.message };
  }
  return { outcome: 'mismatch', reason: rule.reason(actual, expected.join(' ')) };
}

function compareNumbers<N>(
  domain: NumberDomain<N>,
  type: 'int' | 'float',
  spec: ComparatorSpec,
  actualText: string,
): Comparison {
  // Criteria are known here: the comparator has been checked.
  const rule = NUMBER_RULES[spec.criteria as NumberCriteria];
  const actual = domain.parse(actualText);
  if (actual === undefined) {
    const shown = actualText.trim() === '' ? 'the measured value is empty' : `Actual value: ${actualText}`;
    return {
      outcome: 'error',
      reason: `${shown}. Expected value: a ${domain.noun} (comparator type ${type})`,
    };
  }
  const items = listItems(spec.value);
  const expected = items.map((item) => domain.parse(item)).filter((item): item is N => item !== undefined);
  const reason = rule.reason(actualText.trim(), items.join(' '), type);
  // A ratio without traffic is no sign that anything is right, also where it ought to differ from something.
  if (Number.isNaN(actual)) return { outcome: 'mismatch', reason: `${reason} (NaN compares with nothing)` };
  return rule.holds(domain, actual, expected) ? { outcome: 'match' } : { outcome: 'mismatch', reason };
}
