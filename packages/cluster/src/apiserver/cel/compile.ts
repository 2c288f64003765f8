/** From the text of an expression to something that can be run. */
import type { ASTNode, Environment, ParseResult } from '@marcbachmann/cel-js';
import { CelError, MATCHES } from './environment.ts';

/** An expression that is understood. */
export interface Program {
  /** What it gives, by the declared types: `bool`, `string`, `dyn`… */
  readonly type: string;
  /** Names that it uses, variables of macros among them. */
  readonly names: ReadonlySet<string>;
  /** @throws CelError */
  run(variables: Readonly<Record<string, unknown>>): unknown;
}

/**
 * Reads an expression and checks its types.
 * @throws CelError that says where it is wrong
 */
export function compile(environment: Environment, text: string): Program {
  const checked = environment.check(text);
  if (!checked.valid)
    throw new CelError(`compilation failed: ERROR: ${checked.error?.message ?? 'not valid'}`);
  const first = environment.parse(text);
  const names = new Set<string>();
  const places: number[] = [];
  walk(first.ast, (node) => {
    if (node.op === 'id') names.add(node.args);
    if (node.op === 'rcall' && node.args[0] === 'matches')
      places.push(text.indexOf('matches', node.args[1].end));
  });
  const program: ParseResult = places.length === 0 ? first : environment.parse(renamed(text, places));
  return {
    type: checked.type ?? 'dyn',
    names,
    run: (variables) => {
      try {
        return program(variables);
      } catch (error) {
        if (!(error instanceof Error) || error.name === 'TimeLimitError') throw error;
        throw new CelError(summaryOf(error), { cause: error });
      }
    },
  };
}

/** Patterns are those of Go, and so are matched by a function of our own. */
function renamed(text: string, places: readonly number[]): string {
  let result = text;
  for (const place of [...places].sort((a, b) => b - a)) {
    result = `${result.slice(0, place)}${MATCHES}${result.slice(place + 'matches'.length)}`;
  }
  return result;
}

/** Errors of expressions come with a drawing of their place, which a message has no room for. */
function summaryOf(error: Error): string {
  return error.message.split('\n', 1)[0] ?? '';
}

function walk(node: ASTNode, visit: (node: ASTNode) => void): void {
  visit(node);
  const into = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) into(item);
    // Operands are nodes, lists of nodes, names and literals.
    else if (typeof value === 'object' && value !== null && 'op' in value) walk(value as ASTNode, visit);
  };
  into(node.args);
}
