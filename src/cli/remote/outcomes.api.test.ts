/** Runs that are no pass, from the workflow in the cluster to every place where a user reads of them: all say the same. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { workflowEvent } from '../../components/subscriber/events/workflow-event.ts';
import { executionText } from '../../controlplane/run/testing/execution.ts';
import { otherDatabase } from '../../controlplane/store/testing/databases.ts';
import { RemoteScene } from './testing/remote-scene.ts';

const TIME = '2026-01-01T00:00:00Z';
const LIST = `query ($p: ID!) { listExperimentRun(projectID: $p, request: {}) { experimentRuns {
  experimentRunID outcome { word reason score exitCode } } } }`;

/** Facts about the engine of the fault, as the agent finds them. */
const ENGINE = JSON.parse(
  executionText([
    {
      ...{ engineName: 'pod-deleteabcde', experimentVerdict: 'Pass', probeSuccessPercentage: '100' },
      probeStatuses: [
        { name: 'users', type: 'httpProbe', mode: 'Continuous', status: { verdict: 'Passed' } },
      ],
    },
  ]),
).nodes['shop-1-0'].chaosData;

/** As much of a node as a report holds. */
function node(id: string, phase: string, changes: Partial<NodeStatus> = {}): NodeStatus {
  const usual = { id, displayName: id, type: 'Pod', phase, startedAt: TIME, finishedAt: TIME };
  return { ...usual, ...changes } as NodeStatus;
}
const SMOKE = { message: 'main: Error (exit code 3)' };

interface Shape {
  readonly nodes: readonly NodeStatus[];
  readonly hasEngine: boolean;
  readonly message?: string;
}

/** The final report of a workflow that failed, as our agent makes it; LitmusChaos' agent adds nothing to its words. */
function report({ nodes, hasEngine, message = "child 'x' failed" }: Shape, isOurs: boolean): string {
  const root = nodes.length === 0 ? [] : [node('shop-1', 'Failed', { type: 'Steps', message })];
  const workflow = {
    metadata: { name: 'shop-1', namespace: 'litmus', uid: 'u', creationTimestamp: TIME },
    spec: {},
    status: { phase: 'Failed', message, startedAt: TIME, finishedAt: TIME },
  } as unknown as Workflow;
  const event = workflowEvent({
    workflow,
    nodes: Object.fromEntries([...root, ...nodes].map((one) => [one.id, one])),
    engines: new Map(hasEngine ? [['fault', ENGINE]] : []),
    before: undefined,
  });
  // The words of LitmusChaos stay.
  assert.equal(event.phase, nodes.some(({ phase }) => phase === 'Error') ? 'Error' : 'Completed');
  const { workflowPhase, ...upstream } = event;
  return JSON.stringify(isOurs ? { ...upstream, workflowPhase } : upstream);
}

const CASES: readonly (readonly [
  name: string,
  shape: Shape,
  sentence: string,
  code: number,
  kind: string,
])[] = [
  [
    'a last step that fails after chaos that passed',
    { nodes: [node('fault', 'Succeeded'), node('smoke-test', 'Failed', SMOKE)], hasEngine: true },
    'Failed: smoke-test ended with exit code 3; the application held through the chaos',
    1,
    'failure',
  ],
  [
    'a first step that fails, so that the fault never begins',
    { nodes: [node('prepare', 'Failed', SMOKE)], hasEngine: false },
    'Failed: prepare ended with exit code 3; nothing was injected',
    1,
    'failure',
  ],
  [
    'a step that could not run',
    { nodes: [node('prepare', 'Error', { message: 'pod deleted' })], hasEngine: false },
    'Failed: prepare could not run: pod deleted; nothing was injected',
    1,
    'failure',
  ],
  [
    'a workflow that its controller refused',
    { nodes: [], hasEngine: false, message: 'invalid spec: failed to resolve {{workflow.parameters.url}}' },
    'Could not run: the workflow was refused: failed to resolve {{workflow.parameters.url}}',
    3,
    'error',
  ],
];

describe('the outcome of a run, wherever it is read', () => {
  const database = otherDatabase('sqlite', true);
  assert.ok(database !== undefined);
  for (const [name, shape, sentence, code, kind] of CASES) {
    for (const [agent, isOurs] of [
      ['ours', true],
      ["LitmusChaos'", false],
    ] as const) {
      test(`${name}, reported by an agent that is ${agent}: ${sentence}`, async () => {
        const remote = await RemoteScene.start(database);
        const { scene } = remote;
        await scene.save('e1');
        const text = report(shape, isOurs);
        await scene.report({
          ...{ experimentID: 'e1', runID: 'uid', notifyID: await scene.run('e1'), completed: true },
          text,
        });
        const reason = sentence.replace(/^[^:]+: /, '');
        const { listExperimentRun } = await scene.data(LIST);
        const word = sentence.slice(0, sentence.indexOf(':'));
        assert.deepEqual((listExperimentRun as { experimentRuns: unknown[] }).experimentRuns, [
          { experimentRunID: 'uid', outcome: { word, reason, score: null, exitCode: code } },
        ]);
        const waited = await remote.run(['run', 'wait', 'uid'], remote.as());
        assert.equal(waited.code, code);
        assert.match(waited.stdout, /^score none, /m);
        assert.ok(waited.stdout.split('\n').includes(sentence), waited.stdout);
        assert.match(await remote.printed(['run', 'list']), new RegExp(`^uid +.* ${word} +- `, 'm'));
        const exported = async (format: string): Promise<string> => {
          const headers = { authorization: `Bearer ${scene.owner.token}` };
          const url = `/export/run/${scene.project}/uid/${format}`;
          return (await scene.server.app.inject({ url, headers })).body;
        };
        const { outcome } = JSON.parse(await exported('json'));
        assert.deepEqual([outcome.word, outcome.reason, outcome.exitCode], [word, reason, code]);
        assert.ok((await exported('html')).includes(`id="why">${sentence}.<`));
        assert.ok((await exported('junit')).includes(`<${kind} message="${reason}"/>`));
      });
    }
  }
});
