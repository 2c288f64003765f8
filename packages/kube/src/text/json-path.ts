/**
 * JSONPath, as Kubernetes' columns and Argo's expressions use it: members (`.a`, `['a']`, `.a\.b`), indexes, slices, `*`, all below
 * (`..a`) and filters (`[?(@.type=="Ready")]`). Source: kubernetes.io, JSONPath Support; Additional printer columns; RFC 9535.
 */
import { isObject } from './json.ts';

/** A path that cannot be read. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
}

/** Reads the condition of a filter, in which `@` is the element. */
type ReadCondition = (condition: string) => (element: unknown) => boolean;

type Step =
  | { readonly kind: 'member'; readonly name: string }
  | { readonly kind: 'all' }
  | { readonly kind: 'below' }
  | { readonly kind: 'slice'; readonly from: number; readonly to: number | undefined }
  | { readonly kind: 'filter'; readonly holds: (element: unknown) => boolean };

export type JsonPath = readonly Step[];

const STEP =
  /(?<below>\.\.)(?=[^.])|\.?\[\?\((?<condition>(?:'[^']*'|"[^"]*"|[^'"])*?)\)\]|\.?\[\s*(?<from>-?\d*):(?<to>-?\d*)\s*\]|\.?\[\s*(?<index>-?\d+)\s*\]|\.?\[\s*(?:'(?<single>[^']*)'|"(?<double>[^"]*)")\s*\]|(?<all>\.?\[\*\]|\.?\*)|\.?(?<member>(?:[^.[\]\\*]|\\.)(?:[^.[\]\\]|\\.)*)/y;

/**
 * Reads a path such as `.spec.replicas` or `$.list[0]`; braces around it are allowed.
 *
 * @throws JsonPathError
 */
export function parseJsonPath(text: string, readCondition: ReadCondition = comparison): JsonPath {
  const path = text.replace(/^\{(.*)\}$/s, '$1').replace(/^\$/, '');
  const steps: Step[] = [];
  // A copy of its own: filters are read by a call inside this loop, and the expression remembers where it is.
  const token = new RegExp(STEP);
  while (token.lastIndex < path.length) {
    const at = token.lastIndex;
    const afterBelow = steps.at(-1)?.kind === 'below';
    const found = token.exec(path);
    // Only what follows `..` stands without a dot.
    const isBare = path[at] !== '.' && path[at] !== '[';
    if (found === null || (isBare && !afterBelow))
      throw new JsonPathError(`cannot read ${JSON.stringify(text)} at ${at}`);
    steps.push(stepOf(found.groups ?? {}, readCondition));
  }
  return steps;
}

function stepOf(groups: Readonly<Record<string, string | undefined>>, readCondition: ReadCondition): Step {
  const { below, condition, from, to, index, single, double, all, member = '' } = groups;
  if (below !== undefined) return { kind: 'below' };
  if (all !== undefined) return { kind: 'all' };
  if (condition !== undefined) return { kind: 'filter', holds: readCondition(condition) };
  if (from !== undefined)
    return { kind: 'slice', from: Number(from), to: to === undefined || to === '' ? undefined : Number(to) };
  return { kind: 'member', name: index ?? single ?? double ?? member.replaceAll(/\\(.)/g, '$1') };
}

/** Whether a path names one place; any other finds a list. */
export function isOnePlace(path: JsonPath): boolean {
  return path.every((step) => step.kind === 'member');
}

/** All values at the path, in order. */
export function evaluateJsonPath(path: JsonPath, value: unknown): unknown[] {
  let current: unknown[] = [value];
  for (const step of path) current = current.flatMap((item) => follow(step, item));
  return current;
}

function follow(step: Step, value: unknown): unknown[] {
  switch (step.kind) {
    case 'member':
      return memberOf(value, step.name);
    case 'all':
      return membersOf(value);
    case 'below':
      return withAllBelow(value);
    case 'slice':
      return Array.isArray(value) ? value.slice(step.from, step.to) : [];
    case 'filter':
      return membersOf(value).filter(step.holds);
  }
}

function memberOf(value: unknown, name: string): unknown[] {
  if (isObject(value)) return Object.hasOwn(value, name) ? [value[name]] : [];
  if (!Array.isArray(value) || !/^-?\d+$/.test(name)) return [];
  const found: unknown = value.at(Number(name));
  return found === undefined ? [] : [found];
}

function membersOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

function withAllBelow(value: unknown): unknown[] {
  return [value, ...membersOf(value).flatMap(withAllBelow)];
}

const COMPARISON =
  /^\s*@(?<path>(?:\.[\w-]+|\[[^\]]*\])*)\s*(?:(?<operator>==|!=|<=|>=|<|>)\s*(?<operand>'[^']*'|"[^"]*"|[^)\s]+))?\s*$/;

/** The conditions of Kubernetes: one comparison with a constant, or that something is there. @throws JsonPathError */
function comparison(condition: string): (element: unknown) => boolean {
  const read = COMPARISON.exec(condition)?.groups;
  if (read === undefined) throw new JsonPathError(`cannot read the condition ${JSON.stringify(condition)}`);
  const path = parseJsonPath(read['path'] ?? '');
  const { operator } = read;
  const operand = (read['operand'] ?? '').replace(/^(['"])(.*)\1$/, '$2');
  return (element) => {
    const found = evaluateJsonPath(path, element)[0] ?? undefined;
    if (operator === undefined || found === undefined) return found !== undefined;
    return compares(String(found), operator, operand);
  };
}

function compares(text: string, operator: string, operand: string): boolean {
  const [a, b] = [Number(text), Number(operand)];
  switch (operator) {
    case '==':
      return text === operand;
    case '!=':
      return text !== operand;
    case '<':
      return a < b;
    case '>':
      return a > b;
    case '<=':
      return a <= b;
    default:
      return a >= b;
  }
}
