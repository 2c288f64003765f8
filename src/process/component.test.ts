import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { createLogger, type Logger } from '@turnsole/kube/base/log';
import type { KubeClient } from '@turnsole/kube/client/types';
import { type Component, type ComponentContext, type ComponentIo, runComponent } from './component.ts';
import { textFlag } from './flags.ts';
import { UsageError } from './usage-error.ts';

const CONFIG = { server: 'http://127.0.0.1:1', namespace: 'shop' };
const FLAGS = { greeting: textFlag('TEXT') };

type Greeter = Component<typeof FLAGS, string>;

/** What is logged as errors, as `message: detail`. */
function recordingLogger(lines: string[]): Logger {
  const error = (fields: { detail?: string; err?: Error }, message: string): void =>
    void lines.push(`${message}: ${fields.detail ?? fields.err?.message}`);
  // The frame logs errors only.
  return { error } as unknown as Logger;
}

async function run(
  change: Partial<Greeter>,
  argv: readonly string[] = [],
  io: ComponentIo = { config: CONFIG },
): Promise<{ code: number; errors: string[] }> {
  const errors: string[] = [];
  const greeter: Greeter = {
    name: 'greeter',
    flags: FLAGS,
    settings: ({ greeting }, env) => `${greeting ?? 'hello'} ${env.WHOM}`,
    serve: async () => {},
    ...change,
  };
  const logger = recordingLogger(errors);
  return {
    code: await runComponent(
      greeter,
      argv,
      { WHOM: 'world' },
      { logger, signal: new AbortController().signal, ...io },
    ),
    errors,
  };
}

test('a component is given its settings, a client and its namespace; its exit code is 0 unless it says another', async () => {
  const seen: ComponentContext<string>[] = [];
  const serve: Greeter['serve'] = async (context) => void seen.push(context);
  assert.deepEqual(await run({ serve }, ['-greeting', 'bye']), { code: 0, errors: [] });
  assert.deepEqual(
    seen.map(({ settings, namespace }) => [settings, namespace]),
    [['bye world', 'shop']],
  );
  assert.equal((await run({ serve: async () => 7 })).code, 7);
});

test('a wrong command line or environment ends it with 2 before it serves, with the reason', async () => {
  const serve = (): never => assert.fail('it has served');
  assert.deepEqual(await run({ serve }, ['-nope']), {
    code: 2,
    errors: ['greeter cannot start: unknown argument "-nope"; usage: turnsole greeter [-greeting TEXT]'],
  });
  const settings = (): never => {
    throw new UsageError('WHOM is empty');
  };
  assert.deepEqual(await run({ serve, settings }), {
    code: 2,
    errors: ['greeter cannot start: WHOM is empty'],
  });
});

test('without flags of its own, the command line is not looked at', async () => {
  assert.equal((await run({ flags: undefined }, ['-nope', 'x'])).code, 0);
});

test('a failure ends it with 1, and a stop with 0', async () => {
  const serve = (): Promise<never> => Promise.reject(new Error('no more'));
  assert.deepEqual(await run({ serve }), { code: 1, errors: ['greeter failed: no more'] });
  const signal = AbortSignal.abort();
  assert.deepEqual(await run({ serve }, [], { config: CONFIG, signal }), { code: 0, errors: [] });
});

test('a component may log its errors itself; the frame logs the others', async () => {
  const serve = (): Promise<never> => Promise.reject(new TypeError('odd'));
  assert.deepEqual(await run({ serve, failed: () => 9 }), { code: 9, errors: [] });
  assert.deepEqual(await run({ serve, failed: () => undefined }), {
    code: 1,
    errors: ['greeter failed: odd'],
  });
});

test('a client that the caller has brought is used and stays open', async () => {
  const closed: string[] = [];
  // Nothing else of it is used.
  const client = { close: () => closed.push('client') } as unknown as KubeClient;
  const serve: Greeter['serve'] = async (context) => assert.equal(context.client, client);
  assert.equal((await run({ serve }, [], { client })).code, 0);
  assert.deepEqual(closed, []);
});

test('outside of a cluster it cannot work, unless -kubeconfig names one', async () => {
  const { code, errors } = await run({}, [], {});
  assert.equal(code, 1);
  assert.match(errors.join(), /KUBERNETES_SERVICE_HOST/);
  const flags = { ...FLAGS, kubeconfig: textFlag('FILE') };
  const named = await run({ flags }, ['-kubeconfig', '/does/not/exist'], {});
  assert.match(named.errors.join(), /\/does\/not\/exist/);
});

test('a signal that comes when the work is done does not change the exit code', async () => {
  const module = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href);
  const text = `
    import { runComponent } from ${module('./component.ts')};
    import { endProcess } from ${module('./end-process.ts')};
    const component = { name: 'greeter', settings: async () => ({}), serve: async () => 3 };
    const code = await runComponent(component, [], {}, { config: ${JSON.stringify(CONFIG)} });
    process.kill(process.pid, 'SIGTERM');
    endProcess(code);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', text], { stdio: 'ignore' });
  assert.deepEqual(await once(child, 'close'), [3, null]);
});

test('a flag that is accepted without an effect is logged where it is given, with the reason', async () => {
  const lines: string[] = [];
  const logger = createLogger({ component: 'greeter', write: (line) => lines.push(line) });
  const change: Partial<Greeter> = { flagsWithoutEffect: { greeting: 'greetings are not said here' } };
  await run(change, [], { config: CONFIG, logger });
  assert.deepEqual(lines, []);
  await run(change, ['-greeting', 'bye'], { config: CONFIG, logger });
  assert.match(lines.join(), /"-greeting".*greetings are not said here/);
});
