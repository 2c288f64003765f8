import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { isObject } from '@turnsole/kube/text/json';
import { type Action, readAction } from './action.ts';
import { type LogContext, logsCommand } from './logs-command.ts';
import type { Outcome } from './outcome.ts';

const WANTED = { podName: 'step', podNamespace: 'litmus', podType: 'Pod', experimentRunID: 'r-1' };
const OF_CHAOS = {
  ...WANTED,
  podType: 'ChaosEngine',
  chaosNamespace: 'litmus',
  expPod: 'experiment',
  runnerPod: 'runner',
};

type Source = (signal: AbortSignal) => AsyncIterable<string>;

interface Sent {
  readonly requestID: string;
  readonly podName: string;
  readonly mainLogs: string;
  readonly chaosLogs?: Readonly<Record<string, string>>;
  readonly piece?: number;
  readonly isLast?: boolean;
}

interface Scene {
  readonly sent: Sent[];
  readonly asked: object[];
  /** Answers of the server, in order; then that all is well. */
  readonly answers: unknown[];
  /** Told each message, and waited for. */
  onSent: () => Promise<void> | void;
  /** Ends the agent. */
  readonly end: AbortController;
  readonly send: (externalData: object | string) => Promise<Outcome>;
}

function scene(pods: Readonly<Record<string, Source>>, limitBytes = 1024): Scene {
  const sent: Sent[] = [];
  const asked: object[] = [];
  const answers: unknown[] = [];
  const context: LogContext = {
    client: {
      logTexts: (pod, { signal, namespace, ...options }) => {
        asked.push({ pod, ...options });
        const source = pods[pod];
        if (source === undefined) return failing();
        return source(signal ?? AbortSignal.timeout(PATIENCE_MS));
      },
    },
    server: {
      send: async ({ variables }) => {
        const { log, requestID, podName } = isObject(variables.request) ? variables.request : {};
        sent.push({ requestID, podName, ...(JSON.parse(String(log)) as object) } as Sent);
        await world.onSent();
        return { type: 'delivered', data: { podLog: answers.shift() ?? 'LOGS SENT SUCCESSFULLY' } };
      },
    },
    identity: () => ({ infraID: 'i', version: 'v', accessKey: 'k' }),
    refusalOf: (namespace) => (namespace === 'litmus' ? undefined : `namespace ${namespace} is not allowed`),
    limitBytes,
  };
  const command = logsCommand(context);
  const world: Scene = {
    sent,
    asked,
    answers,
    onSent: () => {},
    end: new AbortController(),
    send: (data) => {
      const externalData = typeof data === 'string' ? data : JSON.stringify(data);
      const action = { ...(readAction({}) as Action), requestID: 'l-1', externalData };
      return command(action, world.end.signal);
    },
  };
  return world;
}

function failing(): AsyncIterable<string> {
  const next = (): Promise<never> => Promise.reject(new Error('pods "x" not found'));
  return { [Symbol.asyncIterator]: () => ({ next }) };
}

function lines(...texts: string[]): Source {
  return async function* () {
    for (const text of texts) yield `${text}\n`;
  };
}

test('the log of a step goes as it is, with quotes and colours', async () => {
  const world = scene({ step: lines('said "so"', '\u001b[31mred') });
  assert.deepEqual(await world.send(WANTED), { isDone: true, message: 'logs sent' });
  const main = { requestID: 'l-1', podName: 'step', mainLogs: 'said "so"\n\u001b[31mred\n' };
  assert.deepEqual(world.sent, [main]);
  assert.deepEqual(world.asked, [{ pod: 'step', container: 'main', follow: false, mostBytes: 65_536 }]);
});

test('the logs of chaos go beside that of their step; pods that are gone are left out', async () => {
  const world = scene({ step: lines('a'), experiment: lines('b') });
  await world.send(OF_CHAOS);
  assert.deepEqual(world.sent[0]?.chaosLogs, { experiment: 'b\n' });
  assert.equal(world.sent[0]?.mainLogs, 'a\n');
});

test('a run without a step has the logs of its chaos, and a step without a log says so', async () => {
  const world = scene({ experiment: lines('b') });
  await world.send({ ...OF_CHAOS, podName: '' });
  assert.equal(world.sent[0]?.mainLogs, 'Failed to get argo pod logs');
  assert.deepEqual(world.sent[0]?.chaosLogs, { experiment: 'b\n' });
  await world.send(WANTED);
  assert.equal(world.sent[1]?.mainLogs, 'Failed to get argo pod logs');
});

const REFUSED: readonly (readonly [name: string, data: object | string, why: string])[] = [
  ['no JSON', 'step', 'externalData is no JSON object'],
  ['no pod', { ...WANTED, podName: '../secrets' }, 'podName "../secrets" in podNamespace "litmus" is no pod'],
  ['another namespace', { ...WANTED, podNamespace: 'shop' }, 'namespace shop is not allowed'],
  ['chaos in another namespace', { ...OF_CHAOS, chaosNamespace: 'shop' }, 'namespace shop is not allowed'],
];

for (const [name, data, why] of REFUSED) {
  test(`a request for ${name} gets the reason in the place of the log`, async () => {
    const world = scene({ step: lines('secret') });
    assert.deepEqual(await world.send(data), { isDone: false, message: why });
    assert.deepEqual(
      world.sent.map(({ mainLogs }) => mainLogs),
      [why],
    );
    assert.deepEqual(world.asked, []);
  });
}

test('of a large log its end goes, and how much is left out; what was read before it broke off goes as well', async () => {
  const all = Array.from({ length: 1_000 }, (_, index) => `line ${index}`);
  const world = scene({
    step: async function* () {
      for (const text of all) yield `${text}\n`;
      throw new Error('reset');
    },
  });
  await world.send(WANTED);
  const text = world.sent[0]?.mainLogs ?? '';
  assert.match(text, /^\[\d+ bytes before this are left out\]\n/);
  assert.ok(text.endsWith('line 999\n') && text.length < 1_200, text.slice(-100));
});

test('a log in pieces comes whole and in order, the last piece by itself, with the end that was asked for', async () => {
  const all = Array.from({ length: 3_000 }, (_, index) => `${index} ${'ü'.repeat(150)}`);
  const world = scene({ step: lines(...all) });
  const outcome = await world.send({ ...WANTED, pieces: true, tailLines: 3_000 });
  assert.equal(outcome.message, `log sent in ${world.sent.length} pieces`);
  assert.ok(world.sent.length > 3);
  assert.deepEqual(
    world.sent.map(({ piece, isLast }) => [piece, isLast]),
    world.sent.map((_, index) => [index, index === world.sent.length - 1]),
  );
  assert.equal(world.sent.map(({ mainLogs }) => mainLogs).join(''), `${all.join('\n')}\n`);
  assert.equal((world.asked[0] as { tailLines?: number }).tailLines, 3_000);
});

test('of a log in pieces no more than two are in memory: its reader waits for the server', async () => {
  let read = 0;
  const world = scene({
    step: async function* () {
      for (; read < 100_000; read++) yield `${'x'.repeat(127)}\n`;
    },
  });
  let isFirst = true;
  const ahead: number[] = [];
  world.onSent = async () => {
    const before = read;
    // The reader goes on in between, as far as it may.
    for (let turn = 0; turn < 10_000; turn++) await Promise.resolve();
    if (!isFirst) ahead.push(read - before);
    isFirst = false;
  };
  await world.send({ ...WANTED, pieces: true });
  assert.ok(Math.max(...ahead) <= 2_048, `${Math.max(...ahead)} lines were read ahead`);
});

test('garbage of a log is collected while it is sent, where Node lets it', async (context) => {
  let collected = 0;
  const { gc } = globalThis;
  globalThis.gc = (() => {
    collected += 1;
  }) as NodeJS.GCFunction;
  context.after(() => {
    globalThis.gc = gc;
  });
  const mebibyte = `${'x'.repeat(2 ** 20 - 1)}\n`;
  const world = scene({ step: lines(...Array.from({ length: 10 }, () => mebibyte.trimEnd())) });
  world.onSent = () => {
    world.sent.length = 0;
  };
  await world.send({ ...WANTED, pieces: true });
  assert.equal(collected, 2, 'after each four mebibytes');
});

test('who follows gets the first line at once, and together what comes while it is on its way', async () => {
  const world = scene({ step: lines(...Array.from({ length: 1_000 }, (_, index) => `line ${index}`)) });
  world.onSent = async () => {
    for (let turn = 0; turn < 10_000; turn++) await Promise.resolve();
  };
  await world.send({ ...WANTED, pieces: true, follow: true });
  assert.equal(world.sent[0]?.mainLogs, 'line 0\n');
  assert.ok(world.sent.length < 20, `${world.sent.length} pieces`);
  assert.ok(
    world.sent
      .map(({ mainLogs }) => mainLogs)
      .join('')
      .endsWith('line 999\n'),
  );
});

/** A log that says one line, and goes on until its reader leaves. */
function endless(text: string, left: string[]): Source {
  return async function* (signal) {
    yield `${text}\n`;
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    await promise.finally(() => left.push(text));
  };
}

test('followed logs are sent side by side, and end when the user who asked has gone', async () => {
  const left: string[] = [];
  const world = scene({
    step: endless('a', left),
    experiment: endless('b', left),
    runner: endless('c', left),
  });
  world.answers.push('ok', 'ok', 'LOG REQUEST CANCELLED');
  const outcome = await world.send({ ...OF_CHAOS, pieces: true, follow: true });
  assert.deepEqual(outcome, { isDone: false, message: 'the request was cancelled' });
  assert.equal(world.sent.length, 3);
  assert.deepEqual(left.sort(), ['a', 'b', 'c']);
});

test('only so many logs are followed at a time, and they hold up no others', async () => {
  const left: string[] = [];
  const world = scene({ step: endless('a', left), other: lines('short') });
  const following = Array.from({ length: 8 }, () => world.send({ ...WANTED, pieces: true, follow: true }));
  const { message } = await world.send({ ...WANTED, pieces: true, follow: true });
  assert.equal(message, '8 logs are followed already; end one of them');
  const refusal = world.sent.find(({ mainLogs }) => mainLogs === message);
  assert.equal(refusal?.isLast, true);
  const other = await world.send({ ...WANTED, podName: 'other', pieces: true });
  assert.equal(other.isDone, true);
  world.end.abort(new Error('the agent ends'));
  const ends = await Promise.allSettled(following);
  assert.ok(ends.every(({ status }) => status === 'rejected'));
  assert.equal(left.length, 8);
});

test('any container of any pod is shown where it is asked for, and the default one of a pod where none is named', async () => {
  const world = scene({ step: lines('a') });
  await world.send({ ...WANTED, container: 'helper' });
  await world.send({ ...WANTED, container: '', timestamps: true });
  const options = { pod: 'step', follow: false, mostBytes: 65_536 };
  assert.deepEqual(world.asked, [
    { ...options, container: 'helper' },
    { ...options, timestamps: true },
  ]);
});

test('a server that takes pieces gets the reason why a log cannot be read', async () => {
  const world = scene({});
  await world.send({ ...WANTED, pieces: true });
  assert.deepEqual(
    world.sent.map(({ mainLogs, piece, isLast, ...rest }) => [
      mainLogs,
      piece,
      isLast,
      'problem' in rest && rest.problem,
    ]),
    [
      ['Failed to get argo pod logs\n', 0, false, 'pods "x" not found'],
      ['', 1, true, false],
    ],
  );
});
