/**
 * What a comparator may say: criteria that fit the type, a value that can be read as it.
 *
 * Source: the comparator of LitmusChaos' probes. Values are text; for numbers and oneOf a comma makes them a list.
 */
import { compileRegex, PatternError } from '../regex.ts';
import { COMPARATOR_TYPES, type ComparatorType } from '../schema/vocabulary.ts';
import { type FieldError, invalid, notSupported, required } from './field-error.ts';
import type { PathSegment } from './path.ts';

/** Criteria for int and float. Words with two spellings mean the same in both. */
export const NUMBER_CRITERIA = [
  '>=',
  '<=',
  '>',
  '<',
  '==',
  '!=',
  'oneOf',
  'OneOf',
  'between',
  'Between',
] as const;

/** Criteria for string. */
export const TEXT_CRITERIA = [
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

const INTEGER = /^[+-]?\d+$/;
const FLOAT = /^[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?|nan)$/i;

/** The two fields of a comparator; their path is that of the object that holds them. */
export interface ComparatorFields {
  readonly criteria: string;
  readonly value: string;
  /** Name of the field that `value` stands in. @default `value` */
  readonly valueField?: string;
}

/** All problems of a comparator of a known type. */
export function validateComparator(
  type: ComparatorType,
  { criteria, value, valueField = 'value' }: ComparatorFields,
  path: readonly PathSegment[],
): FieldError[] {
  const known: readonly string[] = type === 'string' ? TEXT_CRITERIA : NUMBER_CRITERIA;
  if (criteria === '') return [required([...path, 'criteria'], `one of ${known.join(', ')}`)];
  if (!known.includes(criteria)) return [criteriaError(type, criteria, [...path, 'criteria'])];
  const here = [...path, valueField];
  return type === 'string' ? textErrors(criteria, value, here) : numberErrors(type, criteria, value, here);
}

/** A criteria word of the other type is the usual mistake; then the message says so. */
function criteriaError(type: ComparatorType, criteria: string, path: readonly PathSegment[]): FieldError {
  const known: readonly string[] = type === 'string' ? TEXT_CRITERIA : NUMBER_CRITERIA;
  const others: readonly string[] = type === 'string' ? NUMBER_CRITERIA : TEXT_CRITERIA;
  if (!others.includes(criteria)) return notSupported(path, criteria, known);
  const fitting = type === 'string' ? 'int and float' : 'string';
  const expected = `is for type ${fitting}; for type ${type} use one of ${known.join(', ')}`;
  return invalid(path, criteria, expected);
}

function textErrors(criteria: string, value: string, path: readonly PathSegment[]): FieldError[] {
  if (!/^(not)?matches$/i.test(criteria)) return [];
  try {
    compileRegex(value);
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
  const pattern = type === 'int' ? INTEGER : FLOAT;
  const items = value.split(',').map((item) => item.trim());
  const wrong = items.find((item) => !pattern.test(item));
  if (wrong !== undefined) {
    const which = items.length > 1 ? `${JSON.stringify(wrong)} must be ${noun}` : `must be ${noun}`;
    return [invalid(path, value, `${which}, because the type is ${type}`)];
  }
  const isRange = criteria.toLowerCase() === 'between';
  if (isRange && items.length !== 2) {
    return [
      invalid(path, value, 'must be two numbers with a comma between, the least and the greatest: 200,299'),
    ];
  }
  if (isRange && Number(items[0]) > Number(items[1])) {
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

/** The comparator type that `text` names in any case, as upstream reads it; undefined for other words. */
export function comparatorTypeOf(text: string): ComparatorType | undefined {
  return COMPARATOR_TYPES.find((type) => type === text.toLowerCase());
}
