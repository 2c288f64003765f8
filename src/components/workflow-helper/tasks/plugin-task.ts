import { readFile } from 'node:fs/promises';
import type { Clock } from '@turnsole/kube/base/clock';
import type { Limiter } from '@turnsole/kube/base/limiter';
import { parseDuration } from '@turnsole/kube/text/duration';
import { messageOf } from '@turnsole/kube/text/error-message';
import { isObject, parseObject } from '@turnsole/kube/text/json';
import { isOverPhase } from '@turnsole/workflows/kinds/completed';
import type { Outputs } from '@turnsole/workflows/kinds/parameters';
import type { NodePhase } from '@turnsole/workflows/kinds/status';
import { again } from '../http/again.ts';
import { exchange, textOf } from '../http/exchange.ts';
import { failureOf } from '../http/failures.ts';
import type { Task, TaskAnswer } from './answer.ts';

/** A server that carries out templates of a plugin. */
export interface PluginServer {
  /** Its address, without the path of the protocol. */
  readonly url: string;
  /** A file with the token that it wants. */
  readonly tokenFile?: string;
}

/** Tools for plugin tasks. */
interface PluginTaskParts {
  readonly clock: Clock;
  /** Each question takes a place of it; the time between two questions takes none. */
  readonly limiter: Limiter;
  /** By the name that a template has below `plugin`. */
  readonly plugins: Readonly<Record<string, PluginServer>>;
}

const PATH = '/api/v1/template.execute';
const MOST_ANSWER_BYTES = 1024 * 1024;
/** How long a plugin has for one answer; longer work is asked for again. */
const ANSWER_LIMIT_MS = 30_000;
const DEFAULT_REQUEUE_MS = 1_000;

/**
 * Has a plugin carry out a template: asks it until it names a final phase, each time after the delay that it wants.
 *
 * @param report called with answers on the way
 * @throws the signal's reason
 */
export async function runPluginTask(
  task: Task,
  { plugins, ...tools }: PluginTaskParts,
  report: (answer: TaskAnswer) => void,
  signal: AbortSignal,
): Promise<TaskAnswer> {
  const { plugin } = task.template;
  const name = isObject(plugin) ? (Object.keys(plugin)[0] ?? '') : '';
  const server = Object.hasOwn(plugins, name) ? plugins[name] : undefined;
  if (server === undefined) {
    const known = Object.keys(plugins);
    const message = `no plugin ${name} is configured (${known.length === 0 ? 'there are none' : `there are ${known.join(', ')}`}): run it as a service, and name its address under \`plugins\` of the controller`;
    return { phase: 'Error', message };
  }
  try {
    for (;;) {
      const { node, requeueMs } = await ask(server, task, tools, signal);
      if (node === undefined) return { phase: 'Error', message: `plugin ${name} does not know the template` };
      if (isOverPhase(node.phase)) return node;
      report(node);
      await tools.clock.sleep(requeueMs, signal);
    }
  } catch (error) {
    signal.throwIfAborted();
    return { phase: 'Error', message: `plugin ${name}: ${messageOf(error)}` };
  }
}

interface Reply {
  readonly node?: TaskAnswer;
  readonly requeueMs: number;
}

async function ask(
  server: PluginServer,
  task: Task,
  { clock, limiter }: Omit<PluginTaskParts, 'plugins'>,
  signal: AbortSignal,
): Promise<Reply> {
  const url = `${server.url.replace(/\/+$/, '')}${PATH}`;
  const token =
    server.tokenFile === undefined ? undefined : (await readFile(server.tokenFile, 'utf8')).trim();
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const { metadata } = task.workflow;
  const { namespace, name, uid } = metadata;
  const body = JSON.stringify({ workflow: { metadata: { namespace, name, uid } }, template: task.template });
  const exchangeOnce = async (): Promise<Reply> => {
    signal.throwIfAborted();
    const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_LIMIT_MS)]);
    const answer = await exchange({ method: 'POST', url, headers, body, signal: limit });
    // A plugin's answer for templates that are not its own.
    if (answer.status === 404) {
      answer.body.resume();
      return { requeueMs: 0 };
    }
    if (answer.status !== 200) throw await failureOf(`POST ${url}`, answer);
    return replyOf(await textOf(answer.body, MOST_ANSWER_BYTES), url);
  };
  return again(() => limiter.run(exchangeOnce), signal, clock);
}

function replyOf(text: string, url: string): Reply {
  const reply = parseObject(text);
  if (reply === undefined) throw new Error(`${url} answered with what is no JSON object`);
  const { node, requeue } = reply;
  const requeueMs = requeueOf(requeue, url);
  if (!isObject(node)) return { requeueMs };
  const { phase, message, outputs, progress } = node;
  return {
    requeueMs,
    node: {
      // Work that is under way is pending for the engine, which asks for it again after a restart.
      phase: isOverPhase(String(phase)) ? (phase as NodePhase) : 'Pending',
      ...(typeof message === 'string' && { message }),
      ...(isObject(outputs) && { outputs: outputs as Outputs }),
      ...(typeof progress === 'string' && { progress }),
    },
  };
}

function requeueOf(requeue: unknown, url: string): number {
  if (requeue === undefined || requeue === null || requeue === '') return DEFAULT_REQUEUE_MS;
  try {
    return Math.max(0, parseDuration(String(requeue)));
  } catch (cause) {
    throw new Error(`${url} wants to be asked again after ${String(requeue)}, which is no duration`, {
      cause,
    });
  }
}
