/**
 * Label selectors: `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>5`.
 * Source of grammar and messages: kubernetes.io, Labels and Selectors; k8s.io/apimachinery `pkg/labels`.
 */
import { LABEL_VALUE, QUALIFIED_NAME } from '../validation/names.ts';

export type LabelOperator = 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

export interface Requirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

export type Labels = Readonly<Record<string, string>>;
export type LabelSelector = readonly Requirement[];

/** A selector text that cannot be parsed. The message is for the user. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
}

/** Whether labels meet every requirement; an empty selector matches everything. */
export function matchesLabels(selector: LabelSelector, labels: Labels | undefined): boolean {
  return selector.every((requirement) => meets(requirement, labels));
}

function meets({ key, operator, values }: Requirement, labels: Labels | undefined): boolean {
  const has = labels !== undefined && Object.hasOwn(labels, key);
  const value = has ? labels[key] : undefined;
  switch (operator) {
    case 'in':
      return value !== undefined && values.includes(value);
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'exists':
      return has;
    case '!':
      return !has;
    case 'gt':
    case 'lt': {
      const found = /^-?\d+$/.test(value ?? '') ? BigInt(value ?? '') : undefined;
      const bound = BigInt(values[0] ?? '0');
      return found !== undefined && (operator === 'gt' ? found > bound : found < bound);
    }
  }
}

/** Reads a selector text. Throws {@link SelectorError}. */
export function parseLabelSelector(text: string): LabelSelector {
  const tokens = tokenize(text);
  const requirements: Requirement[] = [];
  let at = 0;
  const fail = (expected: string): never => {
    const found = tokens[at] ?? '';
    throw new SelectorError(`found '${found}', expected: ${expected}`);
  };
  const next = (): string => tokens[at++] ?? '';
  while (at < tokens.length) {
    const negated = tokens[at] === '!';
    if (negated) at += 1;
    const key = tokens[at] ?? '';
    if (key === '' || isSymbol(key)) fail(negated ? 'identifier' : "!, identifier, or 'end of string'");
    at += 1;
    checkKey(key);
    if (negated) requirements.push({ key, operator: '!', values: [] });
    else requirements.push(parseOperator(key, tokens, at, fail, next, () => at));
    if (at >= tokens.length) break;
    if (tokens[at] !== ',') fail("',' or 'end of string'");
    at += 1;
    if (at >= tokens.length) fail("identifier after ','");
  }
  return requirements;
}

function parseOperator(
  key: string,
  tokens: readonly string[],
  start: number,
  fail: (expected: string) => never,
  next: () => string,
  position: () => number,
): Requirement {
  const operator = tokens[start];
  if (operator === undefined || operator === ',') return { key, operator: 'exists', values: [] };
  next();
  switch (operator) {
    case '=':
    case '==':
    case '!=': {
      const following = tokens[position()];
      const value = following === undefined || following === ',' ? '' : next();
      if (isSymbol(value)) fail('identifier');
      checkValue(key, value);
      return { key, operator: operator === '!=' ? 'notin' : 'in', values: [value] };
    }
    case '>':
    case '<': {
      const value = next();
      if (!/^-?\d+$/.test(value)) {
        throw new SelectorError(
          `values[0][${key}]: Invalid value: ${JSON.stringify(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
        );
      }
      return { key, operator: operator === '>' ? 'gt' : 'lt', values: [value] };
    }
    case 'in':
    case 'notin':
      return { key, operator, values: parseSet(key, tokens, fail, next, position) };
    default:
      throw new SelectorError(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
  }
}

function parseSet(
  key: string,
  tokens: readonly string[],
  fail: (expected: string) => never,
  next: () => string,
  position: () => number,
): string[] {
  if (tokens[position()] !== '(') fail("'('");
  next();
  const values: string[] = [];
  for (;;) {
    const token = tokens[position()];
    if (token === undefined) fail("',' or ')'");
    if (token === ')' || token === ',') {
      next();
      const before = tokens[position() - 2];
      if (before === '(' || before === ',') values.push('');
      if (token === ')') break;
      continue;
    }
    const value = next();
    checkValue(key, value);
    values.push(value);
  }
  return [...new Set(values)].sort();
}

const SYMBOLS: ReadonlySet<string> = new Set(['=', '==', '!=', '!', ',', '(', ')', '>', '<']);

function isSymbol(token: string): boolean {
  return SYMBOLS.has(token);
}

function tokenize(text: string): string[] {
  return text.match(/==|!=|[=!,()<>]|[^\s=!,()<>]+/g) ?? [];
}

function checkKey(key: string): void {
  if (!QUALIFIED_NAME.test(key)) {
    throw new SelectorError(
      `key: Invalid value: ${JSON.stringify(key)}: name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    );
  }
}

function checkValue(key: string, value: string): void {
  if (!LABEL_VALUE.test(value) || value.length > 63) {
    throw new SelectorError(
      `values[0][${key}]: Invalid value: ${JSON.stringify(value)}: a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    );
  }
}

/** The requirements of a meta/v1 LabelSelector (matchLabels and matchExpressions). */
export function fromLabelSelector(selector: {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}): LabelSelector {
  const equal = Object.entries(selector.matchLabels ?? {}).map(
    ([key, value]): Requirement => ({ key, operator: 'in', values: [value] }),
  );
  const operators: Readonly<Record<string, LabelOperator>> = {
    In: 'in',
    NotIn: 'notin',
    Exists: 'exists',
    DoesNotExist: '!',
  };
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values }): Requirement => ({
      key,
      operator: operators[operator] ?? 'in',
      values: values ?? [],
    }),
  );
  return [...equal, ...expressions];
}

/** Text of requirements, as status.selector of the scale subresource has it. */
export function formatLabelSelector(selector: LabelSelector): string {
  return selector
    .map(({ key, operator, values }) => {
      switch (operator) {
        case 'in':
        case 'notin':
          if (values.length === 1) return `${key}${operator === 'in' ? '=' : '!='}${values[0] ?? ''}`;
          return `${key} ${operator} (${[...values].sort().join(',')})`;
        case 'exists':
          return key;
        case '!':
          return `!${key}`;
        case 'gt':
          return `${key}>${values[0] ?? ''}`;
        case 'lt':
          return `${key}<${values[0] ?? ''}`;
      }
      return '';
    })
    .join(',');
}
