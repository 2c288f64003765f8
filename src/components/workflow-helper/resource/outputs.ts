import { messageOf } from '@turnsole/kube/text/error-message';
import { evaluateJsonPath, parseJsonPath } from '@turnsole/kube/text/json-path';
import type { Parameter } from '@turnsole/workflows/kinds/parameters';
import { HelperError } from '../failure.ts';

/** Output parameters of a `resource` template, read from the object. @throws HelperError */
export async function outputsOf(parameters: readonly Parameter[], object: unknown): Promise<Parameter[]> {
  const read: Parameter[] = [];
  for (const parameter of parameters) {
    const { jsonPath, jqFilter, default: fallback } = parameter.valueFrom ?? {};
    if (jsonPath === undefined && jqFilter === undefined) {
      read.push(parameter);
      continue;
    }
    try {
      const value =
        jsonPath === undefined ? await byJq(object, jqFilter ?? '') : byJsonPath(object, jsonPath);
      read.push({ ...parameter, value: value === '' && fallback !== undefined ? fallback : value });
    } catch (cause) {
      if (fallback !== undefined) read.push({ ...parameter, value: fallback });
      else throw new HelperError(`output parameter ${parameter.name}: ${messageOf(cause)}`, { cause });
    }
  }
  return read;
}

/**
 * A template of JSONPath as kubectl knows it: texts, and paths in braces. What a path does not find is empty. Pure.
 *
 * @throws HelperError for `range`, which is not supported · JsonPathError for a path that cannot be read
 */
export function byJsonPath(object: unknown, template: string): string {
  const whole = template.includes('{') ? template : `{${template}}`;
  return whole.replaceAll(/\{([^{}]*)\}/g, (_all, body: string) => {
    const expression = body.trim();
    const quoted = /^(["'])(.*)\1$/s.exec(expression)?.[2];
    if (quoted !== undefined) return quoted.replaceAll('\\n', '\n').replaceAll('\\t', '\t');
    if (/^(?:range\b|end$)/.test(expression))
      throw new HelperError(`jsonPath ${template}: range is not supported; use jqFilter`);
    return found(object, expression);
  });
}

function found(object: unknown, expression: string): string {
  const path = expression.replace(/^[$@]/, '');
  const steps = parseJsonPath(/^(?:[.[]|$)/.test(path) ? path.replace(/^\.$/, '') : `.${path}`);
  return evaluateJsonPath(steps, object).map(printed).join(' ');
}

function printed(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}

/** By jq itself, as WebAssembly: strings as they are, several results in lines. */
async function byJq(object: unknown, filter: string): Promise<string> {
  const jq = await import('jq-wasm');
  const { exitCode } = process;
  try {
    return (await jq.raw(JSON.stringify(object), filter, ['-r'])).trim();
  } finally {
    // The program that jq was sets the exit code of this process.
    process.exitCode = exitCode;
  }
}
