import { type FieldError, invalid } from '../api/validation/field-error.ts';
import { checkComparator } from './comparator.ts';

/** A comparator of some probe type and where its parts stand in the probe. */
export interface PlacedComparator {
  readonly type: string;
  readonly criteria: string;
  readonly value: string;
  readonly paths: {
    readonly type: readonly string[];
    readonly criteria: readonly string[];
    readonly value: readonly string[];
  };
}

/** Problems of a comparator, with the path of the field that causes each. */
export function comparatorErrors({ type, criteria, value, paths }: PlacedComparator): FieldError[] {
  return checkComparator({ type, criteria, value }).map(({ field, found, expected }) =>
    invalid(paths[field], found, expected),
  );
}
