import { suggest } from '@turnsole/kube/schema/suggest';
import { subdomainProblems } from '@turnsole/kube/text/names';
import { withoutUndefined } from '@turnsole/kube/text/without-undefined';
import { type ChaosProblem, refusedSettings } from './errors.ts';

/** What is expected of the value of one option; undefined for a value that is right. */
export type OptionCheck = (value: unknown) => string | undefined;

/**
 * Refuses options that nobody reads, and values of another form. An option that is undefined counts as absent.
 *
 * @param title in front of the names of options: `podDelete`
 * @throws ChaosError with every problem
 */
export function checkOptions(
  title: string,
  options: unknown,
  checks: Readonly<Record<string, OptionCheck>>,
  further: (given: Readonly<Record<string, unknown>>) => readonly ChaosProblem[] = () => [],
): Readonly<Record<string, unknown>> {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw refusedSettings([
      { field: title, message: `expected an object of settings, found ${shown(options)}` },
    ]);
  const given: Readonly<Record<string, unknown>> = withoutUndefined({ ...options });
  const problems = Object.entries(given).flatMap(([name, value]): ChaosProblem[] => {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    const field = `${title}.${name}`;
    if (check === undefined) return [{ field, message: unknownText(name, Object.keys(checks)) }];
    const expected = check(value);
    return expected === undefined ? [] : [{ field, message: `expected ${expected}, found ${shown(value)}` }];
  });
  const all = [...problems, ...further(given)];
  if (all.length > 0) throw refusedSettings(all);
  return given;
}

/** A value as messages show it. Pure. */
export function shown(value: unknown): string {
  const text = typeof value === 'function' ? 'a function' : (JSON.stringify(value) ?? String(value));
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function unknownText(name: string, known: readonly string[]): string {
  const near = suggest(name, known);
  if (near !== undefined) return `there is no such setting; did you mean ${near}?`;
  return `there is no such setting; there are ${known.join(', ')}`;
}

/** A text that is not empty. */
export const text: OptionCheck = (value) =>
  typeof value === 'string' && value.trim() !== '' ? undefined : 'a text that is not empty';

/** True or false. */
export const flag: OptionCheck = (value) => (typeof value === 'boolean' ? undefined : 'true or false');

/** A whole number within bounds, both included. */
export function whole(minimum: number, maximum: number): OptionCheck {
  return (value) =>
    Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum
      ? undefined
      : `a whole number from ${minimum} to ${maximum}`;
}

/** One of some words. */
export function oneOf(words: readonly string[]): OptionCheck {
  return (value) => (words.some((word) => word === value) ? undefined : `one of ${words.join(', ')}`);
}

/** The name of an object of a cluster. */
export const objectName: OptionCheck = (value) =>
  typeof value === 'string' && subdomainProblems(value).length === 0
    ? undefined
    : 'the name of an object, such as web-answers';

/** An AbortSignal, of whatever realm: test runners give their files one of their own. */
export const abortSignal: OptionCheck = (value) =>
  typeof value === 'object' &&
  value !== null &&
  'aborted' in value &&
  'addEventListener' in value &&
  typeof value.addEventListener === 'function'
    ? undefined
    : 'an AbortSignal';

/** Anything that can be called. */
export const callable: OptionCheck = (value) => (typeof value === 'function' ? undefined : 'a function');
