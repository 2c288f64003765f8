import { messageOf } from '@turnsole/kube/text/error-message';
import { FUNCTIONS } from '@turnsole/workflows/engine/substitution/functions';
import { evaluateExpression } from '@turnsole/workflows/expression/evaluate';
import { int, newMap, typeName, type Value } from '@turnsole/workflows/expression/values';
import type { TaskAnswer } from './answer.ts';

/** The request of an HTTP template, and the answer. */
export interface HttpFacts {
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: Readonly<Record<string, readonly string[]>>;
  readonly requestBody: string;
  readonly status: number;
  /** Names in any case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** The end of an HTTP node: by its condition, or by its status where it has none. Pure. */
export function judgeHttp(facts: HttpFacts, successCondition = ''): TaskAnswer {
  const outputs = { result: facts.body };
  if (successCondition === '') {
    const isGood = facts.status >= 200 && facts.status < 300;
    if (isGood) return { phase: 'Succeeded', outputs };
    return { phase: 'Failed', message: `received non-2xx response code: ${facts.status}`, outputs };
  }
  try {
    const value = evaluateExpression(successCondition, environmentOf(facts), { functions: FUNCTIONS });
    if (value === true) return { phase: 'Succeeded', outputs };
    if (value === false)
      return { phase: 'Failed', message: `successCondition '${successCondition}' evaluated false`, outputs };
    const message = `successCondition '${successCondition}' gives ${typeName(value)}, and has to give a bool`;
    return { phase: 'Error', message, outputs };
  } catch (error) {
    const message = `successCondition '${successCondition}' cannot be evaluated: ${messageOf(error)}`;
    return { phase: 'Error', message, outputs };
  }
}

function environmentOf(facts: HttpFacts): ReturnType<typeof newMap> {
  return newMap([
    [
      'request',
      newMap([
        ['method', facts.method],
        ['url', facts.url],
        ['body', facts.requestBody],
        ['headers', headersOf(facts.requestHeaders)],
      ]),
    ],
    [
      'response',
      newMap([
        ['statusCode', int(facts.status)],
        ['body', facts.body],
        ['headers', headersOf(facts.headers)],
      ]),
    ],
  ]);
}

/** As Go has them: each a list, under its name in canonical case. */
function headersOf(headers: HttpFacts['headers']): Value {
  return newMap(
    Object.entries(headers).flatMap(([name, value]): [string, Value][] =>
      value === undefined ? [] : [[canonical(name), typeof value === 'string' ? [value] : [...value]]],
    ),
  );
}

function canonical(name: string): string {
  return name.toLowerCase().replaceAll(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());
}
