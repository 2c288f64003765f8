/**
 * What a comparator may say: criteria that fit the type, a value that can be read as it.
 *
 * Source: the comparator of LitmusChaos' probes. Values are text; for numbers and oneOf a comma makes them a list.
 */

import { type FieldError, invalid, notSupported, required } from '@turnsole/kube/schema/field-error';
import type { PathSegment } from '@turnsole/kube/schema/path';
import { parseDecimal, parseWholeNumber } from '@turnsole/kube/text/number';
import { Pattern, PatternError } from '@turnsole/kube/text/pattern';
import { COMPARATOR_TYPES, type ComparatorType } from '../schema/vocabulary.ts';

/** Criteria for int and float. Words with two spellings mean the same in both. */
const NUMBER_CRITERIA = ['>=', '<=', '>', '<', '==', '!=', 'oneOf', 'OneOf', 'between', 'Between'] as const;

/** Criteria for string. */
const TEXT_CRITERIA = [
  'equal',
  'Equal',
  'notEqual',
  'NotEqual',
  'contains',
  'Contains',
  'matches',
  'Matches',
  'notMatches',
  'NotMatches',
  'oneOf',
  'OneOf',
] as const;

/** A word that a comparator of numbers takes. */
export type NumberCriteria = (typeof NUMBER_CRITERIA)[number];
/** A word that a comparator of texts takes. */
export type TextCriteria = (typeof TEXT_CRITERIA)[number];

/** A comparator as it stands in a probe. */
interface ComparatorFields {
  readonly type: string;
  readonly criteria: string;
  readonly value: string;
  /** Name of the field that `value` stands in. @default `value` */
  readonly valueField?: string;
}

/** All problems of a comparator; `path` is that of the object that holds its fields. */
export function validateComparator(
  { type, criteria, value, valueField = 'value' }: ComparatorFields,
  path: readonly PathSegment[],
): FieldError[] {
  if (!isComparatorType(type)) return [notSupported([...path, 'type'], type, COMPARATOR_TYPES)];
  const known = criteriaOf(type);
  if (criteria === '') return [required([...path, 'criteria'], `one of ${known.join(', ')}`)];
  if (!known.includes(criteria)) return [criteriaError(type, criteria, [...path, 'criteria'])];
  const here = [...path, valueField];
  return type === 'string' ? textErrors(criteria, value, here) : numberErrors(type, criteria, value, here);
}

/** Whether a word is a type of comparators. */
function isComparatorType(type: string): type is ComparatorType {
  return COMPARATOR_TYPES.some((known) => known === type);
}

/** Items of a comma list, without the blanks around them. */
export function listItems(value: string): string[] {
  return value.split(',').map((item) => item.trim());
}

function criteriaOf(type: ComparatorType): readonly string[] {
  return type === 'string' ? TEXT_CRITERIA : NUMBER_CRITERIA;
}

/** A criteria word of the other type is the usual mistake; then the message names it. */
function criteriaError(type: ComparatorType, criteria: string, path: readonly PathSegment[]): FieldError {
  const known = criteriaOf(type);
  const others = criteriaOf(type === 'string' ? 'int' : 'string');
  if (!others.includes(criteria)) return notSupported(path, criteria, known);
  const fitting = type === 'string' ? 'int and float' : 'string';
  const expected = `is for type ${fitting}; for type ${type} use one of ${known.join(', ')}`;
  return invalid(path, criteria, expected);
}

function textErrors(criteria: string, value: string, path: readonly PathSegment[]): FieldError[] {
  if (value === '' && /^(contains|(not)?matches)$/i.test(criteria)) {
    const outcome = /^not/i.test(criteria) ? 'no text passes' : 'every text passes';
    return [required(path, `with an empty one ${outcome}; use equal or notEqual for the empty text`)];
  }
  if (!/^(not)?matches$/i.test(criteria)) return [];
  try {
    Pattern.read(value);
    return [];
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return [invalid(path, value, `must be a regular expression: ${error.message}`)];
  }
}

function numberErrors(
  type: 'int' | 'float',
  criteria: string,
  value: string,
  path: readonly PathSegment[],
): FieldError[] {
  const noun = type === 'int' ? 'a whole number' : 'a number';
  const parse: (text: string) => bigint | number | undefined =
    type === 'int' ? parseWholeNumber : parseDecimal;
  const items = listItems(value);
  const wrong = items.find((item) => parse(item) === undefined);
  if (wrong !== undefined) {
    const which = items.length > 1 ? `${JSON.stringify(wrong)} must be ${noun}` : `must be ${noun}`;
    return [invalid(path, value, `${which}, because the type is ${type}`)];
  }
  if (items.some((item) => Number.isNaN(parse(item)))) {
    return [
      invalid(
        path,
        value,
        'NaN compares with nothing, so that the outcome would be the same whatever is measured',
      ),
    ];
  }
  const isRange = criteria.toLowerCase() === 'between';
  if (isRange && items.length !== 2) {
    return [
      invalid(path, value, 'must be two numbers with a comma between, the least and the greatest: 200,299'),
    ];
  }
  const [least, greatest] = items.map((item) => parse(item));
  if (isRange && least !== undefined && greatest !== undefined && least > greatest) {
    return [
      invalid(path, value, 'nothing lies between: the first number must not be greater than the second'),
    ];
  }
  if (!isRange && criteria.toLowerCase() !== 'oneof' && items.length > 1) {
    return [
      invalid(path, value, `must be one number; a list goes with oneOf or between, not with ${criteria}`),
    ];
  }
  return [];
}
