import type { Arguments } from './operations.ts';
import { Refusal } from './refusal.ts';

/** Reads one value of a request; undefined where it is missing. @throws Refusal naming the field */
type FieldReader<T> = (value: unknown, field: string) => T;

type Fields = Readonly<Record<string, FieldReader<unknown>>>;

type Values<F extends Fields> = { readonly [K in keyof F]: ReturnType<F[K]> };

/** Default limit for the length of a text. */
const MOST_CHARACTERS = 1_000;

/**
 * Reads the fields of a REST request. Pure.
 *
 * @param unread fields that clients may send as well: those of upstream's structure for this body
 * @throws Refusal for a field that is wrong, missing or unknown
 */
export function readFields<F extends Fields>(
  args: Arguments,
  fields: F,
  unread: readonly string[] = [],
): Values<F> {
  const unknown = Object.keys(args).find((name) => !Object.hasOwn(fields, name) && !unread.includes(name));
  if (unknown !== undefined) throw wrong(unknown, 'is unknown');
  const entries = Object.entries(fields).map(([name, read]) => [name, read(args[name], name)]);
  return Object.fromEntries(entries) as Values<F>;
}

function wrong(field: string, why: string): Refusal {
  return new Refusal('invalid', `${field} ${why}`, { fields: [field] });
}

/** A required text, without spaces around it. */
export function requiredText(most = MOST_CHARACTERS): FieldReader<string> {
  return (value, field) => {
    const text = optionalText(most)(value, field);
    if (text === undefined || text === '') throw wrong(field, 'is missing');
    return text;
  };
}

/** A text, without spaces around it. */
export function optionalText(most = MOST_CHARACTERS): FieldReader<string | undefined> {
  return (value, field) => exactText(most)(value, field)?.trim();
}

/** A text as it is, such as a password. */
export function exactText(most = MOST_CHARACTERS): FieldReader<string | undefined> {
  return (value, field) => {
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'string') throw wrong(field, 'is no text');
    if (value.length > most) throw wrong(field, `has ${value.length} characters; ${most} are allowed`);
    return value;
  };
}

/** A password as typed. The policy checks its length; this only rejects absurd input. */
export const secretText: FieldReader<string> = (value, field) => {
  const text = exactText()(value, field);
  if (text === undefined || text === '') throw wrong(field, 'is missing');
  return text;
};

/** Texts of a list. */
export function optionalTexts(most: number): FieldReader<readonly string[] | undefined> {
  return (value, field) => {
    if (value === undefined || value === null) return undefined;
    if (!Array.isArray(value)) throw wrong(field, 'is no list');
    if (value.length > most) throw wrong(field, `has ${value.length} entries; ${most} are allowed`);
    return value.map((one: unknown) => requiredText()(one, field));
  };
}

/** A boolean: from JSON, or from a query as `true` or `false`. */
export const optionalTruth: FieldReader<boolean | undefined> = (value, field) => {
  if (value === undefined || value === null || value === '') return undefined;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw wrong(field, 'is neither true nor false');
};

/** A whole number in a range: from JSON, or from a query as digits. */
export function optionalCount(least: number, most: number): FieldReader<number | undefined> {
  return (value, field) => {
    if (value === undefined || value === null || value === '') return undefined;
    const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isInteger(number) || number < least || number > most) {
      throw wrong(field, `is no whole number from ${least} to ${most}`);
    }
    return number;
  };
}

/** One of some texts. */
export function optionalChoice<const T extends string>(choices: readonly T[]): FieldReader<T | undefined> {
  return (value, field) => {
    if (value === undefined || value === null || value === '') return undefined;
    const choice = choices.find((one) => one === value);
    if (choice === undefined) throw wrong(field, `is none of ${choices.join(', ')}`);
    return choice;
  };
}
