import { isObject } from '@turnsole/kube/text/json';
import { anyString } from '@turnsole/workflows/kinds/decode/any-string';
import type { Arguments, Parameter } from '@turnsole/workflows/kinds/parameters';
import { parse } from 'yaml';
import { CommandError } from '../errors.ts';
import { readText } from '../manifests/read-text.ts';

/** Values by the name of their parameter. */
export type ParameterValues = ReadonlyMap<string, string>;

/** `name=value` texts as values; a name that stands twice has the later value. Pure. */
export function parseParameters(texts: readonly string[], option = '--parameter'): ParameterValues {
  return new Map(
    texts.map((text) => {
      const at = text.indexOf('=');
      if (at > 0) return [text.slice(0, at), text.slice(at + 1)] as const;
      throw new CommandError(
        `${option}: expected name=value, found ${JSON.stringify(text)}`,
        'OPTION_INVALID',
      );
    }),
  );
}

/**
 * Values from a file with a mapping of names to values.
 *
 * @throws CommandError (bad input) when it cannot be read, or holds something else
 */
export async function readParameterFile(file: string): Promise<ParameterValues> {
  const refuse = (why: string, cause?: unknown): never => {
    throw new CommandError(`--parameter-file ${file}: ${why}`, 'OPTION_INVALID', { cause });
  };
  let content: unknown;
  try {
    content = parse(await readText(file));
  } catch (error) {
    return refuse(`cannot be read: ${(error as Error).message}`, error);
  }
  if (!isObject(content)) return refuse('expected YAML or JSON with names and values');
  return new Map(
    Object.entries(content).flatMap(([name, value]) => {
      const text = anyString(value);
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
}

/** Arguments with these values in place of their own; those that are not among them come behind. Pure. */
export function withParameters(args: Arguments | undefined, values: ParameterValues): Arguments | undefined {
  if (values.size === 0) return args;
  const own = args?.parameters ?? [];
  const declared = new Set(own.map(({ name }) => name));
  const given = (parameter: Parameter): Parameter => {
    const value = values.get(parameter.name);
    if (value === undefined) return parameter;
    // A value that is given wins over one that would be fetched.
    const { valueFrom: _, ...rest } = parameter;
    return { ...rest, value };
  };
  const further = [...values]
    .filter(([name]) => !declared.has(name))
    .map(([name, value]) => ({ name, value }));
  return { ...args, parameters: [...own.map(given), ...further] };
}

/** Names of values without a parameter: most are misspelt. Pure. */
export function undeclared(args: Arguments | undefined, values: ParameterValues): string[] {
  const declared = new Set((args?.parameters ?? []).map(({ name }) => name));
  return [...values.keys()].filter((name) => !declared.has(name));
}
