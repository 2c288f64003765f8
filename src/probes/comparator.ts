/**
 * The comparator: is a measured text what was expected? Words and failure texts are those of upstream's comparator;
 * what is odd there (text that is no number counts as 0, a comma changes the meaning) is an error here instead.
 */
import { compileRegex } from '../api/regex.ts';
import { COMPARATOR_TYPES, type ComparatorType } from '../api/schema/vocabulary.ts';
import { FLOATS, INTEGERS, NUMBER_RULES, type NumberDomain, type NumberRule } from './compare-numbers.ts';
import { TEXT_RULES } from './compare-text.ts';

/** How a measured value is judged. */
export interface ComparatorSpec {
  readonly type: ComparatorType;
  readonly criteria: string;
  readonly value: string;
}

/** The judgement; `error` means that the two could not be compared at all. */
export type Comparison =
  | { readonly outcome: 'match' }
  | { readonly outcome: 'mismatch'; readonly reason: string }
  | { readonly outcome: 'error'; readonly reason: string };

/** Something wrong with a comparator itself, whatever will be measured. */
export interface ComparatorProblem {
  readonly field: 'type' | 'criteria' | 'value';
  readonly found: string;
  readonly expected: string;
}

/** The type that `text` names in any case, or undefined. */
export function comparatorType(text: string): ComparatorType | undefined {
  return COMPARATOR_TYPES.find((type) => type === text.toLowerCase());
}

/** Items of a comma list, without the blanks around them. */
function listItems(value: string): string[] {
  return value.split(',').map((item) => item.trim());
}

/** What would make every comparison fail: found before anything runs. Pure. */
export function checkComparator(spec: {
  readonly type: string;
  readonly criteria: string;
  readonly value: string;
}): ComparatorProblem[] {
  const type = comparatorType(spec.type);
  if (type === undefined) {
    return [{ field: 'type', found: spec.type, expected: `one of ${COMPARATOR_TYPES.join(', ')}` }];
  }
  const rules: ReadonlyMap<string, unknown> = type === 'string' ? TEXT_RULES : NUMBER_RULES;
  if (!rules.has(spec.criteria)) {
    return [
      {
        field: 'criteria',
        found: spec.criteria,
        expected: `criteria '${spec.criteria}' not supported in the probe; for type ${type} use one of ${[...rules.keys()].join(', ')}`,
      },
    ];
  }
  const expected =
    type === 'string' ? textValueProblem(spec.criteria, spec.value) : numberValueProblem(type, spec);
  return expected === undefined ? [] : [{ field: 'value', found: spec.value, expected }];
}

function textValueProblem(criteria: string, value: string): string | undefined {
  if (TEXT_RULES.get(criteria)?.takes !== 'pattern') return undefined;
  try {
    compileRegex(value);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function numberValueProblem(
  type: 'int' | 'float',
  { criteria, value }: { readonly criteria: string; readonly value: string },
): string | undefined {
  const rule = NUMBER_RULES.get(criteria);
  if (rule === undefined) return undefined;
  const domain: NumberDomain<unknown> = type === 'int' ? INTEGERS : FLOATS;
  const items = listItems(value);
  const wrong = items.find((item) => domain.parse(item) === undefined);
  if (rule.takes === 'one' && items.length > 1) {
    return `must be one ${domain.noun}; a list goes with oneOf or between`;
  }
  if (rule.takes === 'two' && items.length < 2) {
    return `must be two ${domain.noun}s separated by a comma, the lowest and the highest allowed`;
  }
  return wrong === undefined ? undefined : `'${wrong}' is not a ${domain.noun}`;
}

/**
 * Compares what was measured with what is expected. Pure.
 *
 * Where the comparator itself is wrong ({@link checkComparator}) the outcome is `error` too.
 */
export function compare(spec: ComparatorSpec, actual: string): Comparison {
  const [problem] = checkComparator(spec);
  if (problem !== undefined) return { outcome: 'error', reason: `comparator: ${problem.expected}` };
  switch (spec.type) {
    case 'string':
      return compareText(spec, actual);
    case 'int':
      return compareNumbers(INTEGERS, 'int', spec, actual);
    case 'float':
      return compareNumbers(FLOATS, 'float', spec, actual);
  }
}

function compareText(spec: ComparatorSpec, actual: string): Comparison {
  const rule = TEXT_RULES.get(spec.criteria);
  if (rule === undefined) return unsupported(spec.criteria);
  const expected = rule.takes === 'list' ? listItems(spec.value) : [spec.value];
  if (rule.holds(actual, expected)) return { outcome: 'match' };
  return { outcome: 'mismatch', reason: rule.reason(actual, expected.join(' ')) };
}

function compareNumbers<N>(
  domain: NumberDomain<N>,
  type: 'int' | 'float',
  spec: ComparatorSpec,
  actualText: string,
): Comparison {
  const rule = NUMBER_RULES.get(spec.criteria);
  if (rule === undefined) return unsupported(spec.criteria);
  const actual = domain.parse(actualText);
  if (actual === undefined) {
    const shown = actualText.trim() === '' ? 'the measured value is empty' : `Actual value: ${actualText}`;
    return {
      outcome: 'error',
      reason: `${shown}. Expected value: a ${domain.noun} (comparator type ${type})`,
    };
  }
  const items = expectedItems(rule, spec.value);
  const expected = items.map((item) => domain.parse(item)).filter((item): item is N => item !== undefined);
  if (rule.holds(domain, actual, expected)) return { outcome: 'match' };
  return { outcome: 'mismatch', reason: rule.reason(actualText.trim(), items.join(' '), type) };
}

function expectedItems(rule: NumberRule, value: string): string[] {
  return rule.takes === 'one' ? [value.trim()] : listItems(value);
}

function unsupported(criteria: string): Comparison {
  return { outcome: 'error', reason: `criteria '${criteria}' not supported in the probe` };
}
