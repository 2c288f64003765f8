import { isObject } from '@turnsole/kube/text/json';
import { type LabelRequirement, matchesLabels, parseLabelSelector } from '@turnsole/kube/text/label-selector';

/** Conditions of a `resource` template: requirements in the syntax of label selectors, whose keys are paths in the object. */
export interface Conditions {
  readonly success: readonly Requirement[];
  readonly failure: readonly Requirement[];
}

interface Requirement {
  readonly requirement: LabelRequirement;
  /** As it was written, in the form in which clients know it. */
  readonly shown: string;
}

/** What conditions make of an object. */
type Judged =
  | { readonly kind: 'met' }
  | { readonly kind: 'waiting'; readonly unmet: string }
  | { readonly kind: 'failed'; readonly message: string };

/** @throws LabelSelectorError */
export function readConditions(success = '', failure = ''): Conditions {
  return { success: requirementsOf(success), failure: requirementsOf(failure) };
}

/** Judges an object: any failure requirement that holds fails, all success requirements have to hold. Pure. */
export function judgeObject({ success, failure }: Conditions, object: unknown): Judged {
  const failed = failure.find((one) => holds(one, object));
  if (failed !== undefined)
    return { kind: 'failed', message: `failure condition '${failed.shown}' evaluated true` };
  const unmet = success.find((one) => !holds(one, object));
  return unmet === undefined ? { kind: 'met' } : { kind: 'waiting', unmet: unmet.shown };
}

function requirementsOf(text: string): Requirement[] {
  const operators = [...text.matchAll(/([^\s=!(),<>]+)\s*(==|!=|=|>|<|notin\b|in\b)/g)];
  return parseLabelSelector(text).map((requirement) => {
    const { key, operator, values } = requirement;
    const written = operators.find(([, name]) => name === key)?.[2] ?? operator;
    return { requirement, shown: `{${key} ${written} [${values.toSorted().join(' ')}]}` };
  });
}

function holds({ requirement }: Requirement, object: unknown): boolean {
  const found = at(object, requirement.key.split('.'));
  return matchesLabels([requirement], found === undefined ? {} : { [requirement.key]: textOf(found) });
}

/** The value at a path of members and indexes; undefined when it is missing. */
function at(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (Array.isArray(found)) found = name === '#' ? found.length : found[Number(name)];
    else if (isObject(found) && Object.hasOwn(found, name)) found = found[name];
    else return undefined;
  }
  return found;
}

function textOf(value: unknown): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
