import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@turnsole/kube/base/log';
import { isObject } from '@turnsole/kube/text/json';
import { NO_OFFERS } from '../link/frames.ts';
import { type Action, readAction } from './action.ts';
import { type Command, Dispatcher } from './dispatcher.ts';
import { done, refused } from './outcome.ts';

interface Scene {
  readonly dispatcher: Dispatcher;
  /** What has begun and ended, in order. */
  readonly course: string[];
  /** Results that the server got: id, and message. */
  readonly results: string[];
  /** Ends what only looks. */
  readonly looking: AbortController;
  /** Lets an action end, by its external data. */
  readonly end: (externalData: string) => void;
  readonly act: (requestType: string, externalData: string, requestID?: string) => void;
  readonly settled: () => Promise<void>;
}

function scene(): Scene {
  const course: string[] = [];
  const results: string[] = [];
  const looking = new AbortController();
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const gate = (name: string): PromiseWithResolvers<void> => {
    const known = gates.get(name) ?? Promise.withResolvers<void>();
    gates.set(name, known);
    return known;
  };
  const command = (isChange: boolean): Command => ({
    isChange,
    keyOf: ({ externalData }) => externalData.split(' ', 1).join(''),
    run: async ({ externalData }, signal) => {
      course.push(`begin ${externalData}`);
      signal.addEventListener('abort', () => gate(externalData).reject(signal.reason), { once: true });
      await gate(externalData).promise;
      course.push(`end ${externalData}`);
      if (externalData.includes('fails')) return refused('it failed');
      if (externalData.includes('throws')) throw new Error('it threw');
      return done(`did ${externalData}`);
    },
  });
  const dispatcher = new Dispatcher({
    commands: { change: command(true), look: command(false) },
    server: {
      send: async ({ variables: { request } }) => {
        if (isObject(request)) results.push(`${request.requestID}: ${request.message}`);
        return { type: 'delivered', data: {} };
      },
    },
    identity: () => ({ infraID: 'i', version: 'v', accessKey: 'k' }),
    logger: silentLogger,
    signal: looking.signal,
    changeSignal: new AbortController().signal,
  });
  return {
    dispatcher,
    course,
    results,
    looking,
    end: (name) => gate(name).resolve(),
    act: (requestType, externalData, requestID = externalData) =>
      dispatcher.dispatch(
        { ...(readAction({}) as Action), requestType, externalData, requestID },
        { ...NO_OFFERS, actionResults: true },
      ),
    settled: () => new Promise((resolve) => setImmediate(resolve)),
  };
}

test('actions about one thing keep their order; others do not wait for them', async () => {
  const { act, end, course, settled, dispatcher } = scene();
  act('look', 'log 1');
  act('change', 'run-1 a');
  act('change', 'run-1 b');
  act('change', 'run-2 a');
  await settled();
  assert.deepEqual(course, ['begin log 1', 'begin run-1 a', 'begin run-2 a']);
  end('run-2 a');
  end('run-1 a');
  await settled();
  assert.deepEqual(course.slice(3).sort(), ['begin run-1 b', 'end run-1 a', 'end run-2 a']);
  end('run-1 b');
  end('log 1');
  await dispatcher.idle();
  assert.equal(course.length, 8);
});

test('a change that comes again with its id is answered again and not done again, unless it failed', async () => {
  const { act, end, course, results, settled } = scene();
  for (const name of ['one', 'fails', 'throws']) {
    end(name);
    act('change', name);
    await settled();
    act('change', name);
    await settled();
  }
  const begun = course.filter((line) => line.startsWith('begin'));
  assert.deepEqual(begun, ['begin one', 'begin fails', 'begin fails', 'begin throws', 'begin throws']);
  assert.deepEqual(results, [
    'one: did one',
    'one: did one',
    'fails: it failed',
    'fails: it failed',
    'throws: it threw',
    'throws: it threw',
  ]);
});

test('an id with other content is another action, and none at all is none', async () => {
  const { act, end, course, settled } = scene();
  for (const name of ['a', 'b', 'c']) end(name);
  act('change', 'a', 'id');
  act('change', 'b', 'id');
  act('change', 'c', '');
  act('change', 'c', '');
  await settled();
  await settled();
  assert.equal(course.filter((line) => line.startsWith('begin')).length, 4);
});

test('a flood of logs is refused from a point on, and takes no place of a stop', async () => {
  const { act, end, course, results, settled } = scene();
  for (let number = 0; number < 150; number++) act('look', `log-${number}`);
  end('stop');
  act('change', 'stop');
  await settled();
  assert.ok(course.includes('end stop'));
  const floods = results.filter((line) => line.endsWith('100 actions are under way; ask again later'));
  assert.equal(floods.length, 50);
});

test('at the end a change that has begun is done as a whole, and what only looks ends at once', async () => {
  const { act, end, course, results, settled, looking, dispatcher } = scene();
  act('look', 'log');
  act('change', 'stop');
  await settled();
  looking.abort(new Error('the agent ends'));
  await settled();
  assert.deepEqual(course, ['begin log', 'begin stop']);
  end('stop');
  await dispatcher.idle();
  await settled();
  assert.deepEqual(results, ['log: the agent ends', 'stop: did stop']);
});
