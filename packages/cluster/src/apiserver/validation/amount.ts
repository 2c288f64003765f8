import type { FieldError } from '@turnsole/kube/schema/field-error';
import { invalidField } from './field.ts';

const PERCENT_WORDS =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** Problems of a number or percentage, such as maxUnavailable. @param most largest percentage */
export function validateAmount(value: unknown, path: string, most = 100): FieldError[] {
  if (typeof value === 'number') {
    return value < 0 ? [invalidField(path, value, 'must be greater than or equal to 0')] : [];
  }
  if (typeof value !== 'string') return [];
  if (!/^[0-9]+%$/.test(value)) return [invalidField(path, value, PERCENT_WORDS)];
  return Number.parseInt(value, 10) > most
    ? [invalidField(path, value, `must not be greater than ${most}%`)]
    : [];
}
