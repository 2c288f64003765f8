import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Environment } from '@turnsole/kube/text/environment';
import { messageOf } from '@turnsole/kube/text/error-message';
import type { NodeOrder } from '@turnsole/workflows/pods/helper';
import { complain } from '../../process/complain.ts';
import { POD_EXIT } from '../../process/exit-codes.ts';
import { termination } from '../../process/signals.ts';
import type { ReadSecret } from './artifacts/store.ts';
import type { HelperContext } from './context.ts';
import { HelperError } from './failure.ts';
import { type Places, placesBelow } from './places.ts';

/** What the process gives; tests give their own. */
interface HelperIo {
  readonly signal?: AbortSignal;
  readonly print?: (text: string) => void;
  /** @default that of the pod's service account */
  readonly client?: KubeClient;
}

type Program = (order: NodeOrder, context: HelperContext) => Promise<void>;

/** The programs, each of which loads nothing but what its path takes. */
const PROGRAMS: Readonly<Record<string, () => Promise<Program>>> = {
  init: async () => (await import('./init/run-init.ts')).runInit,
  wait: async () => (await import('./wait/run-wait.ts')).runWait,
  data: async () => (await import('./data/run-data.ts')).runData,
  garbage: async () => (await import('./garbage/run-garbage.ts')).runGarbage,
  resource: async () => (await import('./resource/run-resource.ts')).runResource,
};

/** 128 + SIGTERM. */
const TOLD_TO_END = 143;

/** Exit code that a failed `resource` or `data` node shows, as with Argo. */
const NODE_FAILED = 64;

/**
 * `turnsole workflow-helper init|wait|resource|data|garbage`: the part of a workflow's node that our image does, by the order at
 * `/var/run/turnsole-order.json`. Its failure stands in the termination message, which becomes that of the node.
 */
export async function runHelper(
  [name = '']: readonly string[],
  env: Environment,
  io: HelperIo = {},
): Promise<number> {
  const load = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  if (load === undefined) {
    complain(
      `one of ${Object.keys(PROGRAMS).join(', ')} is wanted, not ${JSON.stringify(name)}`,
      'workflow-helper',
    );
    return POD_EXIT.cannotStart;
  }
  const places = placesBelow(env['TURNSOLE_POD_ROOT']);
  // Further signals change nothing: `wait` stores what main has left, until the kubelet kills it. Nor do those that come when all is done.
  const signal = io.signal ?? termination({ onFurther: () => {} }).signal;
  const context: HelperContext = {
    places,
    env,
    secrets: secretFiles(places.secrets),
    say: (line) => complain(line, `workflow-helper ${name}`),
    print: io.print ?? ((text) => process.stdout.write(text)),
    signal,
    ...(io.client && { client: io.client }),
  };
  try {
    const [order, program] = await Promise.all([readOrder(places), load()]);
    await program(order, context);
    return POD_EXIT.done;
  } catch (error) {
    if (signal.aborted) {
      context.say(`told to end: ${messageOf(signal.reason)}`);
      return TOLD_TO_END;
    }
    await reportFailure(error, context);
    return name === 'resource' || name === 'data' ? NODE_FAILED : POD_EXIT.failed;
  }
}

async function readOrder({ order }: Places): Promise<NodeOrder> {
  try {
    return JSON.parse(await readFile(order, 'utf8'));
  } catch (cause) {
    throw new HelperError(`the order of the node, ${order}, cannot be read: ${messageOf(cause)}`, { cause });
  }
}

/** Reports a sentence for the node; an error that is no failure of its work is a defect, and gets its stack. */
async function reportFailure(error: unknown, { places, say }: HelperContext): Promise<void> {
  const message = messageOf(error);
  say(error instanceof HelperError || !(error instanceof Error) ? message : (error.stack ?? message));
  // The file is there wherever a kubelet runs the pod.
  await writeFile(places.lastWords, message, { flag: 'r+' }).catch(() => undefined);
}

/** Reads Secrets that are mounted: `<folder>/<secret>/<key>`. */
function secretFiles(folder: string): ReadSecret {
  return async ({ name, key }) => {
    try {
      return await readFile(join(folder, name, key), 'utf8');
    } catch (cause) {
      throw new Error(`key ${key} of Secret ${name} cannot be read; is it in the Secret?`, { cause });
    }
  };
}
