/** The actuator endpoint of Chaos Monkey for Spring Boot, as far as the faults use it. */

import { isObject, parseObject } from '@turnsole/kube/text/json';
import { InjectError } from '../../experiment/injection/errors.ts';
import { type Answer, ask, describeAnswer, NoAnswerError } from '../remote/ask.ts';
import type { Members } from './assaults.ts';

/** How a Chaos Monkey is set; parts that its answer leaves out are absent. JSON. */
export interface MonkeyConfiguration {
  readonly enabled?: boolean;
  readonly assaults?: Members;
  readonly watchers?: Members;
}

/** The endpoint does not answer as one of a Chaos Monkey does. */
export class NoMonkeyError extends Error {
  override readonly name = 'NoMonkeyError';
}

/**
 * How it is set now.
 *
 * @throws NoMonkeyError without an answer with status 200 · the signal's reason
 */
export async function readConfiguration(base: string, signal: AbortSignal): Promise<MonkeyConfiguration> {
  let answer: Answer;
  try {
    answer = await ask({ url: base, signal });
  } catch (cause) {
    if (cause instanceof NoAnswerError) throw new NoMonkeyError(cause.message, { cause });
    throw cause;
  }
  if (answer.status !== 200) throw new NoMonkeyError(`GET ${base}: ${describeAnswer(answer)}`);
  return configurationOf(answer.text);
}

/** Reads the answer; releases differ in what it contains. Pure. */
export function configurationOf(text: string): MonkeyConfiguration {
  const { chaosMonkeyProperties, assaultProperties, watcherProperties } = parseObject(text) ?? {};
  const enabled = isObject(chaosMonkeyProperties) ? chaosMonkeyProperties.enabled : undefined;
  return {
    ...(typeof enabled === 'boolean' ? { enabled } : {}),
    ...(isObject(assaultProperties) ? { assaults: assaultProperties } : {}),
    ...(isObject(watcherProperties) ? { watchers: watcherProperties } : {}),
  };
}

/**
 * Sends the Chaos Monkey a change of its configuration, or the command to attack now.
 *
 * @param path below the endpoint, e.g. `/assaults`
 * @throws NoAnswerError without an answer · InjectError when it answers with another status than 200, with what it said
 */
export async function configure(
  base: string,
  path: string,
  body: Members | undefined,
  signal: AbortSignal,
): Promise<void> {
  const url = `${base}${path}`;
  const answer = await ask({ url, method: 'POST', body: body ?? {}, signal });
  if (answer.status !== 200) throw new InjectError(`POST ${url}: ${describeAnswer(answer)}`);
}
