/**
 * Label selectors in both their forms: text (`app=web,tier!=db,env in (a,b),!canary`) and object
 * (`{matchLabels, matchExpressions}`).
 *
 * Source: kubernetes.io, Labels and Selectors. What a real API server accepts, refuses and matches is recorded in
 * `test-data/recorded-selectors.json` and compared by the tests.
 */
import type { LabelSelector } from 'kubernetes-types/meta/v1.d.ts';
import { labelValueProblems, qualifiedNameProblems } from './names.ts';

/** One condition on one label. `=` is `in` with one value, `!=` is `notin` with one value. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: 'exists' | 'absent' | 'in' | 'notin' | 'gt' | 'lt';
  readonly values: readonly string[];
}

/** All conditions must hold; none means that everything matches. */
export type ParsedLabelSelector = readonly LabelRequirement[];

/** The selector cannot be read; `message` is the API server's. */
export class LabelSelectorError extends Error {
  override readonly name = 'LabelSelectorError';
}

/** Whether the labels meet every condition. A label that is missing meets `!=` and `notin`, as Kubernetes has it. */
export function matchesLabels(
  selector: ParsedLabelSelector,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  return selector.every((requirement) => isMet(requirement, labels ?? {}));
}

/** Whether labels have every pair of a plain map selector (services, replication controllers, nodeSelector). */
export function hasLabels(
  wanted: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  return Object.entries(wanted).every(([key, value]) => labels?.[key] === value);
}

/**
 * Whether labels meet a selector in its object form, without compiling it first. Absent selects nothing, empty everything (API
 * conventions). An unknown operator selects nothing: refusing is safer than adopting foreign objects.
 */
export function matchesSelector(
  selector: LabelSelector | null | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  if (selector === null || selector === undefined) return false;
  if (!hasLabels(selector.matchLabels ?? {}, labels)) return false;
  return (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
    const known = OBJECT_OPERATORS[operator];
    return known !== undefined && isMet({ key, operator: known, values }, labels ?? {});
  });
}

/** Whether a selector in its object form has no condition. */
export function isEmptySelector(selector: LabelSelector | undefined): boolean {
  return (
    Object.keys(selector?.matchLabels ?? {}).length === 0 && (selector?.matchExpressions ?? []).length === 0
  );
}

function isMet(
  { key, operator, values }: LabelRequirement,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'exists':
      return value !== undefined;
    case 'absent':
      return value === undefined;
    case 'in':
      return value !== undefined && values.includes(value);
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'gt':
    case 'lt': {
      const [found, limit] = [toInteger(value), toInteger(values[0])];
      if (found === undefined || limit === undefined) return false;
      return operator === 'gt' ? found > limit : found < limit;
    }
  }
}

function toInteger(text: string | undefined): bigint | undefined {
  return text !== undefined && /^[-+]?\d{1,19}$/.test(text) ? BigInt(text.replace(/^\+/, '')) : undefined;
}

/**
 * Reads the text form; empty text selects everything.
 *
 * @throws LabelSelectorError
 */
export function parseLabelSelector(text: string): ParsedLabelSelector {
  return new Parser(text).selector();
}

/** Reads the object form. Absent selects nothing (undefined), empty selects everything, as in Kubernetes' own kinds. */
export function compileLabelSelector(
  selector: LabelSelector | null | undefined,
): ParsedLabelSelector | undefined {
  if (selector === null || selector === undefined) return undefined;
  const labels = Object.entries(selector.matchLabels ?? {}).map(
    ([key, value]): LabelRequirement => ({ key, operator: 'in', values: [value] }),
  );
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values }): LabelRequirement => {
    const known = OBJECT_OPERATORS[operator];
    if (known === undefined) {
      throw new LabelSelectorError(
        `"${operator}" is not a valid label selector operator; expected In, NotIn, Exists or DoesNotExist`,
      );
    }
    return { key, operator: known, values: values ?? [] };
  });
  return [...labels, ...expressions];
}

const OBJECT_OPERATORS: Readonly<Record<string, LabelRequirement['operator']>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: 'absent',
};

/** Writes the text form; `parseLabelSelector` reads it back as the same conditions. */
export function formatLabelSelector(selector: ParsedLabelSelector): string {
  return selector.map(formatRequirement).join(',');
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'exists':
      return key;
    case 'absent':
      return `!${key}`;
    case 'gt':
    case 'lt':
      return `${key}${operator === 'gt' ? '>' : '<'}${values[0] ?? ''}`;
    case 'in':
    case 'notin': {
      if (values.length === 1) return `${key}${operator === 'in' ? '=' : '!='}${values[0]}`;
      return `${key} ${operator} (${values.join(',')})`;
    }
  }
}

/** `end`, a symbol by its own text, or a word. */
interface Token {
  readonly kind: 'end' | 'symbol' | 'word';
  readonly text: string;
}

const END: Token = { kind: 'end', text: '' };
const TOKEN = /\s*(?:(==|!=|[=!(),<>])|([^\s=!(),<>]+))/y;

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const match = TOKEN.exec(text);
    if (match === null) break;
    const [, symbol, word = ''] = match;
    tokens.push(symbol === undefined ? { kind: 'word', text: word } : { kind: 'symbol', text: symbol });
  }
  return tokens;
}

/** Recursive descent over the tokens; one method per rule of the grammar. */
class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = tokenize(text);
  }

  selector(): ParsedLabelSelector {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const first = this.#peek();
      if (first.kind === 'end') return requirements;
      if (first.kind === 'symbol' && first.text !== '!') {
        throw new LabelSelectorError(`found '${first.text}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.#requirement());
      const separator = this.#next();
      if (separator.kind === 'end') return requirements;
      if (separator.text !== ',') {
        throw new LabelSelectorError(`found '${separator.text}', expected: ',' or 'end of string'`);
      }
      const following = this.#peek();
      if (following.kind !== 'word' && following.text !== '!') {
        throw new LabelSelectorError(`found '${following.text}', expected: identifier after ','`);
      }
    }
  }

  #requirement(): LabelRequirement {
    const negated = this.#peek().text === '!';
    if (negated) this.#at += 1;
    const key = this.#next();
    if (key.kind !== 'word') throw this.#problem(`found '${key.text}', expected: identifier`);
    const [problem] = qualifiedNameProblems(key.text);
    if (problem !== undefined)
      throw this.#problem(`<nil>: Invalid value: ${JSON.stringify(key.text)}: ${problem}`);
    if (negated) return { key: key.text, operator: 'absent', values: [] };
    const after = this.#peek();
    if (after.kind === 'end' || after.text === ',') return { key: key.text, operator: 'exists', values: [] };
    return this.#comparison(key.text);
  }

  #comparison(key: string): LabelRequirement {
    const operator = this.#next().text;
    switch (operator) {
      case 'in':
      case 'notin':
        return this.#checked({ key, operator, values: this.#values() });
      case '=':
      case '==':
        return this.#checked({ key, operator: 'in', values: [this.#value()] });
      case '!=':
        return this.#checked({ key, operator: 'notin', values: [this.#value()] });
      case '>':
      case '<': {
        const value = this.#value();
        if (toInteger(value) === undefined) {
          const why = "for 'Gt', 'Lt' operators, the value must be an integer";
          throw this.#problem(`values[0]: Invalid value: ${JSON.stringify(value)}: ${why}`);
        }
        return this.#checked({ key, operator: operator === '>' ? 'gt' : 'lt', values: [value] });
      }
      default:
        throw this.#problem(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  #value(): string {
    const token = this.#peek();
    // Nothing after the operator compares with the empty text.
    if (token.kind === 'end' || token.text === ',') return '';
    if (token.kind !== 'word') throw this.#problem(`found '${token.text}', expected: identifier`);
    this.#at += 1;
    return token.text;
  }

  /** `(a,b)`; between commas, and in `()`, stands the empty text. */
  #values(): string[] {
    const open = this.#next();
    if (open.text !== '(') throw this.#problem(`found '${open.text}' expected: '('`);
    const values = new Set<string>();
    for (;;) {
      const token = this.#peek();
      if (token.kind === 'word') {
        this.#at += 1;
        values.add(token.text);
      } else {
        values.add('');
      }
      const separator = this.#next();
      if (separator.text === ')') return [...values];
      if (separator.text !== ',') throw this.#problem(`found '${separator.text}', expected: ',' or ')'`);
    }
  }

  #checked(requirement: LabelRequirement): LabelRequirement {
    for (const [index, value] of requirement.values.entries()) {
      const [problem] = labelValueProblems(value);
      if (problem === undefined) continue;
      const where = `values[${index}][${requirement.key}]`;
      throw this.#problem(`${where}: Invalid value: ${JSON.stringify(value)}: ${problem}`);
    }
    return requirement;
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? END;
  }

  #next(): Token {
    const token = this.#peek();
    this.#at += 1;
    return token;
  }

  #problem(message: string): LabelSelectorError {
    return new LabelSelectorError(`unable to parse requirement: ${message}`);
  }
}
