import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import type { RawAnswer, RawRequest, Target } from './exchange.ts';
import { digestOf } from './recording.ts';
import { replay } from './replay.ts';
import { runScenario, StepError } from './run-scenario.ts';
import type { Scenario, Step } from './scenario.ts';
import { awaiting, collect, get, post, setup, watch } from './steps.ts';

const LIMIT = { stepLimitMs: 1_000 };

/** Answers by method and path; each list is used up from its front, its last answer stays. */
class Scripted implements Target {
  readonly requests: RawRequest[] = [];
  readonly #answers: Map<string, (readonly [number, unknown])[]>;
  readonly #stream: readonly string[];

  constructor(
    answers: Readonly<Record<string, readonly (readonly [number, unknown])[]>>,
    stream: readonly string[] = [],
  ) {
    const always = {
      'POST /api/v1/namespaces': [[201, {}]],
      'GET /api/v1/namespaces/c-x/serviceaccounts/default': [[200, {}]],
    };
    // The entries of both have the same form, which TypeScript does not see through the spread.
    this.#answers = new Map(
      Object.entries({ ...always, ...answers }).map(([key, list]) => [key, [...list] as [number, unknown][]]),
    );
    this.#stream = stream;
  }

  async send(request: RawRequest): Promise<RawAnswer> {
    this.requests.push(request);
    const list = this.#answers.get(`${request.method} ${request.path}`) ?? [[404, 'nothing']];
    const [status, body] = (list.length > 1 ? list.shift() : list[0]) ?? [404, 'nothing'];
    return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  }

  async open(request: RawRequest): Promise<IncomingMessage> {
    this.requests.push(request);
    const message = new IncomingMessage(new Socket());
    message.statusCode = 200;
    for (const line of this.#stream) message.push(`${line}\n`);
    message.push(null);
    return message;
  }

  close(): void {}
}

function scenario(...steps: Step[]): Scenario {
  return { name: 'x', steps };
}

describe('runScenario', () => {
  it('makes the namespace, substitutes what it captured and records what is compared', async () => {
    const target = new Scripted({
      'POST /api/v1/namespaces/c-x/configmaps': [[201, { metadata: { name: 'a', uid: 'u-1' } }]],
      'GET /api/v1/namespaces/c-x/things/u-1': [[200, { seen: true, noise: 1 }]],
    });
    const steps = await runScenario(
      scenario(
        setup(
          post(
            '/api/v1/namespaces/{ns}/configmaps',
            { metadata: { name: 'a' } },
            { capture: { uid: '/metadata/uid' } },
          ),
        ),
        get('/api/v1/namespaces/{ns}/things/{uid}', { ignore: ['/body/noise'] }),
      ),
      target,
      LIMIT,
    );
    assert.deepEqual(steps, [
      {
        step: 'GET /api/v1/namespaces/{ns}/things/{uid}',
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: { seen: true },
      },
    ]);
    assert.deepEqual(target.requests.map(({ method, path }) => `${method} ${path}`).slice(0, 2), [
      'POST /api/v1/namespaces',
      'GET /api/v1/namespaces/c-x/serviceaccounts/default',
    ]);
  });

  it('fails where a setup is refused, naming the step', async () => {
    const target = new Scripted({ 'POST /a': [[409, { reason: 'AlreadyExists' }]] });
    await assert.rejects(runScenario(scenario(setup(post('/a', {}))), target, LIMIT), (error: unknown) => {
      assert.ok(error instanceof StepError);
      assert.match(error.message, /^step 1, POST \/a: setup got 409 .*AlreadyExists/);
      return true;
    });
  });

  it('asks until the answer is as wanted', async () => {
    const target = new Scripted({
      'GET /a': [
        [404, {}],
        [200, { phase: 'x', gone: 1 }],
        [200, { phase: 'y', gone: 1 }],
        [200, { phase: 'y' }],
      ],
    });
    const steps = await runScenario(
      scenario(awaiting('/a', { equals: { '/phase': 'y' }, absent: ['/gone'] })),
      target,
      LIMIT,
    );
    assert.deepEqual(steps[0]?.body, { phase: 'y' });
    assert.equal(target.requests.filter(({ path }) => path === '/a').length, 4);
  });

  it('collects watch events up to the marker, and the rest later', async () => {
    const event = (type: string, name: string): string =>
      JSON.stringify({ type, object: { metadata: { name } } });
    const target = new Scripted({}, [event('ADDED', 'a'), event('DELETED', 'a'), event('ADDED', 'b')]);
    const steps = await runScenario(
      scenario(watch('w', '/things'), collect('w', { type: 'DELETED' }), collect('w', 'end')),
      target,
      LIMIT,
    );
    assert.equal(target.requests.at(-1)?.path, '/things?watch=1');
    assert.deepEqual(
      steps.map(({ events }) => events?.length),
      [2, 1],
    );
  });

  it('fails where a marker never comes', async () => {
    const target = new Scripted({}, ['{"type":"ADDED","object":{"metadata":{"name":"a"}}}']);
    const waiting = runScenario(scenario(watch('w', '/things'), collect('w', { name: 'b' })), target, LIMIT);
    await assert.rejects(waiting, /the watch ended without {"name":"b"} after .*"name":"a"/);
  });
});

describe('replay', () => {
  const one = scenario(get('/a'));
  const answered = (status: number, body: unknown) => ({
    name: 'x',
    digest: digestOf(one),
    steps: [{ step: 'GET /a', status, headers: { 'content-type': 'application/json' }, body }],
  });
  const target = (): Target => new Scripted({ 'GET /a': [[200, { a: 1, b: 2 }]] });
  const deliberate = [{ reason: 'because', places: [{ scenario: 'x', step: 1, pointers: ['/body/b'] }] }];

  for (const [name, recorded, differences, wanted] of [
    ['is silent about equals', answered(200, { b: 2, a: 1 }), [], undefined],
    [
      'tells what differs',
      answered(404, { a: 1, b: 3 }),
      [],
      '1. GET /a\n  /status\n    - 404\n    + 200\n  /body/b\n    - 3\n    + 2',
    ],
    ['leaves out what is deliberate', answered(200, { a: 1, b: 3 }), deliberate, undefined],
    [
      'misses a deliberate difference that is none any more',
      answered(200, { a: 1, b: 2 }),
      deliberate,
      'step 1 is as recorded now: take it out of differences.ts',
    ],
    [
      'notices a scenario that was changed',
      { ...answered(200, {}), digest: 'other' },
      [],
      'changed since it was recorded; run `npm run conformance:record`',
    ],
    [
      'notices a scenario without recording',
      undefined,
      [],
      'was never recorded; run `npm run conformance:record`',
    ],
  ] as const) {
    it(name, async () => assert.equal(await replay(one, recorded, target(), differences), wanted));
  }
});
