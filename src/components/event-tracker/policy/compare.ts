import { equalJson, isObject, parseJson } from '@turnsole/kube/text/json';
import { compareQuantities, isQuantity, parseQuantity } from '@turnsole/kube/text/quantity';
import type { PolicyOperator } from '../../../api/index.ts';

/**
 * Whether a value passes an operator. Pure.
 *
 * - `EqualTo`, `NotEqualTo`: a number is compared as a number, a list or object as JSON, everything else as text.
 * - The orders: as numbers where both sides are numbers or quantities (`500m`, `1Gi`), else as text, character by character. What is
 *   not there, lists and objects are in no order.
 * - `Change` passes whatever has changed; the caller knows whether it has.
 */
export function passes(operator: PolicyOperator, found: unknown, value: string): boolean {
  switch (operator) {
    case 'Change':
      return true;
    case 'EqualTo':
      return isEqual(found, value);
    case 'NotEqualTo':
      return !isEqual(found, value);
    default:
      return isInOrder(operator, orderOf(found, value));
  }
}

function isEqual(found: unknown, value: string): boolean {
  if (typeof found === 'number') return isNumberText(value) ? Number(value) === found : false;
  if (Array.isArray(found) || isObject(found)) return equalJson(found, parseJson(value));
  return textOf(found) === value;
}

/** Negative, zero or positive when the found value is less than, equal to or greater than the other; NaN when they have no order. */
function orderOf(found: unknown, value: string): number {
  if (found === null || found === undefined || typeof found === 'object') return Number.NaN;
  const text = textOf(found);
  if (isAmount(text) && isAmount(value)) return compareQuantities(parseQuantity(text), parseQuantity(value));
  return Buffer.compare(Buffer.from(text), Buffer.from(value));
}

function isInOrder(
  operator: 'LessThan' | 'LessThanEqualTo' | 'GreaterThan' | 'GreaterThanEqualTo',
  order: number,
): boolean {
  switch (operator) {
    case 'LessThan':
      return order < 0;
    case 'LessThanEqualTo':
      return order <= 0;
    case 'GreaterThan':
      return order > 0;
    case 'GreaterThanEqualTo':
      return order >= 0;
  }
}

function textOf(found: unknown): string {
  return typeof found === 'string' ? found : JSON.stringify(found ?? null);
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/;

function isNumberText(text: string): boolean {
  return NUMBER.test(text.trim());
}

/** A longer text is no amount that a person wrote. */
const MAX_AMOUNT_CHARACTERS = 64;

function isAmount(text: string): boolean {
  return text.length <= MAX_AMOUNT_CHARACTERS && isQuantity(text);
}
