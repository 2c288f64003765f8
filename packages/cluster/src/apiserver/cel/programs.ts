/** Expressions about requests: over variables without a schema, compiled once each. */
import { compile, type Program } from './compile.ts';
import { CelError, newEnvironment } from './environment.ts';
import { withPatchTypes } from './patch-literals.ts';

const programs = new Map<string, Program>();
const MAX_PROGRAMS = 256;

/**
 * The program of an expression.
 *
 * @param variables names that it may use; what they hold is only known when it runs
 * @throws CelError that says where it is wrong
 */
export function programOf(expression: string, variables: readonly string[]): Program {
  const key = `${variables.join(' ')}\n${expression}`;
  const known = programs.get(key);
  if (known !== undefined) return known;
  const environment = newEnvironment();
  for (const name of variables) environment.registerVariable(name, 'dyn');
  const program = compile(environment, expression);
  if (programs.size >= MAX_PROGRAMS) programs.clear();
  programs.set(key, program);
  return program;
}

/**
 * Why an expression is invalid; undefined when it is valid.
 *
 * @param type that it has to give: `bool`, `string`; `patch`: any, of {@link withPatchTypes} too; undefined for any
 */
export function expressionMistake(
  expression: string,
  variables: readonly string[],
  type: 'bool' | 'string' | 'patch' | undefined,
): string | undefined {
  try {
    const isOfPatch = type === 'patch';
    const program = programOf(isOfPatch ? withPatchTypes(expression) : expression, variables);
    const isRight = type === undefined || isOfPatch || program.type === type || program.type === 'dyn';
    return isRight ? undefined : `must evaluate to ${type}`;
  } catch (error) {
    if (error instanceof CelError) return error.message;
    throw error;
  }
}
