import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executionText } from '../../src/controlplane/run/testing/execution.ts';
import type { TestAgent } from '../../src/controlplane/server/testing/test-server.ts';
import {
  type Attack,
  type AttackScene,
  attacksAreRefused,
  document,
  openAttackScene,
  type Reply,
} from './scene.ts';

const REPORT = 'mutation ($r: ExperimentRunRequest!) { chaosExperimentRun(request: $r) }';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A report of the agent of another project, or of one who has no key. */
const report = (scene: AttackScene, agent: TestAgent, changed: object = {}): Promise<Reply> =>
  document(scene, REPORT, {
    r: {
      ...{ experimentID: 'shop', experimentRunID: 'invented', experimentName: 'shop-1', revisionID: '' },
      ...{
        executionData: base64(executionText([])),
        infraID: agent,
        completed: true,
        updatedBy: base64('olga'),
      },
      ...changed,
    },
  });

/** Keys that are not the agent's. */
const KEYS: Readonly<Record<string, (key: string, other: string) => string>> = {
  'no key': () => '',
  'a cut key': (key) => key.slice(0, -1),
  'a longer key': (key) => `${key}A`,
  'a key in capitals': (key) => key.toUpperCase(),
  'a key with a space': (key) => ` ${key}`,
  'a key with NUL': (key) => `${key}\u0000`,
  "another agent's key": (_key, other) => other,
  'a wildcard': () => '%',
  'a condition': () => "' or '1'='1",
  'the word undefined': () => 'undefined',
};

/** What is said with the right key of another project's agent: all of it is about what is not its own, or is no report. */
const SAYINGS: Readonly<Record<string, (scene: AttackScene) => object>> = {
  'a run by the id of its start request': ({ notifyID }) => ({ notifyID }),
  'an experiment of another project': () => ({}),
  'a run without an id': () => ({ experimentRunID: '' }),
  'a run with an endless id': () => ({ experimentRunID: 'x'.repeat(100_000) }),
  'an experiment by a prototype': () => ({ experimentID: '__proto__' }),
  'an experiment by constructor': () => ({ experimentID: 'constructor' }),
  'an experiment by a wildcard': () => ({ experimentID: '%' }),
  'no data': () => ({ executionData: '' }),
  'data that is no JSON': () => ({ executionData: base64('{') }),
  'data that is a list': () => ({ executionData: base64('[]') }),
  'data that is null': () => ({ executionData: base64('null') }),
  'data that is a number': () => ({ executionData: base64('1') }),
  'data that is no base64': () => ({ executionData: '%%%' }),
  'data with a NUL in its id': () => ({ experimentRunID: 'a\u0000b' }),
};

/** Reports of such sentences are acknowledged as not taken; agents of upstream's would repeat them for ever otherwise. */
const notTaken = ({ status, text }: Reply): boolean =>
  status >= 400 || /"errors":\[|no experiment found/.test(text);

const REPLIES: readonly (readonly [string, string, object])[] = [
  [
    'podLog',
    'mutation ($r: PodLog!) { podLog(request: $r) }',
    { experimentRunID: 'r', podName: 'p', podType: 'Pod', log: 'said' },
  ],
  ['agentReply', 'mutation ($r: AgentReply!) { agentReply(request: $r) }', { reply: '{"answer":{}}' }],
  ['kubeObj', 'mutation ($r: KubeObjectData!) { kubeObj(request: $r) }', { kubeObj: '{}' }],
  [
    'kubeNamespace',
    'mutation ($r: KubeNamespaceData!) { kubeNamespace(request: $r) }',
    { kubeNamespace: '[]' },
  ],
  [
    'infraActionResult',
    'mutation ($r: InfraActionResult!) { infraActionResult(request: $r) }',
    { requestType: 'create', isDone: true, message: 'done' },
  ],
];

test('what agents say', async (t) => {
  const scene: AttackScene = await openAttackScene();
  await attacksAreRefused(
    t,
    scene,
    Object.entries(KEYS).flatMap(([name, change]): Attack[] =>
      ['chaosExperimentRun', 'getManifestWithInfraID', 'confirmInfraRegistration'].map(
        (operation): Attack => [
          `${operation} with ${name}`,
          async (of) => {
            const accessKey = change(of.agent.accessKey, of.strangersAgent.accessKey);
            if (operation === 'chaosExperimentRun') return report(of, { ...of.agent, accessKey });
            if (operation === 'getManifestWithInfraID') {
              const query =
                'query ($p: ID!, $i: String!, $k: String!) { getManifestWithInfraID(projectID: $p, infraID: $i, accessKey: $k) }';
              return document(of, query, { p: of.project, i: of.agent.infraID, k: accessKey });
            }
            const query =
              'mutation ($r: InfraIdentity!) { confirmInfraRegistration(request: $r) { isInfraConfirmed newAccessKey } }';
            return document(of, query, { r: { ...of.agent, accessKey } });
          },
        ],
      ),
    ),
    ({ status, text }) =>
      status >= 400 || /"errors":\[|"isInfraConfirmed":false,"newAccessKey":null/.test(text),
  );
  await attacksAreRefused(
    t,
    scene,
    Object.entries(SAYINGS).map(
      ([name, said]): Attack => [
        `the agent of another project tells of ${name}`,
        async (of) => report(of, of.strangersAgent, said(of)),
      ],
    ),
    notTaken,
  );
  await attacksAreRefused(
    t,
    scene,
    REPLIES.map(
      ([operation, query, said]): Attack => [
        `${operation}: the agent of another project answers a request of this one`,
        async (of) => {
          const open = await of.server.plane.store.read
            .selectFrom('actions')
            .select('request_id')
            .executeTakeFirstOrThrow();
          const r = { infraID: of.strangersAgent, requestID: open.request_id, ...said };
          return document(of, query, { r });
        },
      ],
    ),
    // They are answered with a sentence, as upstream's agents expect it; that nothing is kept is what counts.
    ({ text }) => !text.includes('result kept') || text.includes('no action'),
  );

  await t.test(
    'a finished run keeps its verdict, and times of the future move nothing that is the server’s',
    async () => {
      const { server, agent, notifyID } = scene;
      const ended = executionText([], { phase: 'Error', finishedAt: '9' });
      const own = { notifyID, experimentRunID: 'mine' };
      assert.equal((await report(scene, agent, { ...own, executionData: base64(ended) })).status, 200);
      const runOf = () =>
        server.plane.store.read
          .selectFrom('runs')
          .selectAll()
          .where('notify_id', '=', notifyID)
          .executeTakeFirstOrThrow();
      const first = await runOf();
      assert.equal(first.final, 1);
      for (const said of [
        { executionData: base64(executionText([], { phase: 'Succeeded', finishedAt: '9' })) },
        { executionData: base64(executionText([], { phase: 'Running', finishedAt: '' })), completed: false },
        { executionData: base64(executionText([], { phase: 'Succeeded', finishedAt: '9999999999' })) },
        { isRemoved: true },
      ]) {
        const answer = await report(scene, agent, { ...own, ...said });
        assert.match(answer.text, /discarded due the duplicate event/);
        assert.deepEqual(await runOf(), first);
      }
      const future = executionText([], { phase: 'Running', finishedAt: '99999999999' });
      await report(scene, agent, {
        experimentRunID: 'later',
        executionData: base64(future),
        completed: false,
      });
      const later = await server.plane.store.read
        .selectFrom('runs')
        .selectAll()
        .where('run_id', '=', 'later')
        .executeTakeFirstOrThrow();
      assert.ok(later.created_at <= server.plane.clock.now() && later.updated_at <= server.plane.clock.now());
      assert.deepEqual([later.origin, later.created_by], ['agent', 'the agent of its infrastructure']);
    },
  );
});
