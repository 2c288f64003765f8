/**
 * The part of JSONPath that printer columns and scale paths use: fields, indexes, `[*]`, quoted names and
 * `[?(@.type=="Ready")]`. Source: kubernetes.io, JSONPath Support; Additional printer columns.
 */
import { isJson } from '../object.ts';

/** A path that cannot be read. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
}

type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' }
  | {
      readonly kind: 'filter';
      readonly path: readonly Step[];
      readonly operator: string;
      readonly value: string;
    };

export type JsonPath = readonly Step[];

const TOKEN =
  /\.\.|\.?\[\?\(\s*@((?:\.[\w-]+|\[[^\]]*\])*)\s*(?:(==|!=|<=|>=|<|>)\s*('[^']*'|"[^"]*"|[^)\s]+))?\s*\)\]|\.?\[\s*(-?\d+)\s*\]|\.?\[\s*(?:'([^']*)'|"([^"]*)")\s*\]|\.?\[\*\]|\.\*|\.((?:[^.[\]\\]|\\.)+)/y;

/** Reads a path such as `.spec.replicas`; braces around it are allowed. Throws {@link JsonPathError}. */
export function parseJsonPath(text: string): JsonPath {
  const path = text.replace(/^\{(.*)\}$/, '$1').replace(/^\$/, '');
  const steps: Step[] = [];
  // A copy of its own: filters are read by a call inside this loop, and the expression remembers where it is.
  const token = new RegExp(TOKEN);
  while (token.lastIndex < path.length) {
    const at = token.lastIndex;
    const match = token.exec(path);
    if (match === null || match[0] === '..')
      throw new JsonPathError(`cannot read ${JSON.stringify(text)} at ${at}`);
    const [whole, filterPath, operator, operand, index, single, double, field] = match;
    if (filterPath !== undefined) {
      const value = (operand ?? '').replace(/^(['"])(.*)\1$/, '$2');
      steps.push({ kind: 'filter', path: parseJsonPath(filterPath), operator: operator ?? 'exists', value });
    } else if (index !== undefined) steps.push({ kind: 'index', index: Number(index) });
    else if (single !== undefined || double !== undefined)
      steps.push({ kind: 'field', name: single ?? double ?? '' });
    else if (field !== undefined) steps.push({ kind: 'field', name: field.replaceAll(/\\(.)/g, '$1') });
    else if (whole !== undefined) steps.push({ kind: 'all' });
  }
  return steps;
}

/** All values at the path, in order. */
export function evaluateJsonPath(path: JsonPath, value: unknown): unknown[] {
  let current: unknown[] = [value];
  for (const step of path) current = current.flatMap((item) => follow(step, item));
  return current;
}

function follow(step: Step, value: unknown): unknown[] {
  switch (step.kind) {
    case 'field':
      return isJson(value) && Object.hasOwn(value, step.name) && value[step.name] !== null
        ? [value[step.name]]
        : [];
    case 'index': {
      const found = Array.isArray(value) ? value.at(step.index) : undefined;
      return found === undefined ? [] : [found];
    }
    case 'all':
      return Array.isArray(value) ? value : isJson(value) ? Object.values(value) : [];
    case 'filter':
      return Array.isArray(value) ? value.filter((item) => passes(step, item)) : [];
  }
}

function passes(step: Step & { kind: 'filter' }, item: unknown): boolean {
  const [found] = evaluateJsonPath(step.path, item);
  if (step.operator === 'exists') return found !== undefined;
  if (found === undefined) return false;
  const text = String(found);
  const [a, b] = [Number(text), Number(step.value)];
  switch (step.operator) {
    case '==':
      return text === step.value;
    case '!=':
      return text !== step.value;
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
