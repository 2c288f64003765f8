import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@turnsole/kube/client/errors';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { ChaosEngine } from '../../../api/schema/engine.ts';
import { findEngines } from './find-engines.ts';

const BEGIN = '2026-01-01T00:00:10Z';
const MANIFEST =
  'kind: ChaosEngine\nmetadata: { name: e, namespace: litmus }\nspec: { experiments: [{ name: x }] }';

interface Shape {
  readonly isRunOver?: boolean;
  /** As the local copy has it. */
  readonly copy?: ChaosEngine;
  /** As the API server has it. */
  readonly engine?: ChaosEngine;
  readonly result?: object;
  readonly code?: number;
}

function engine(engineStatus: string, verdict: string, change: object = {}): ChaosEngine {
  const metadata = { name: 'e', namespace: 'litmus', creationTimestamp: BEGIN, ...change };
  // Test data: written as it is.
  return { metadata, spec: {}, status: { engineStatus, experiments: [{ name: 'x', verdict }] } } as never;
}

/** What is found of the one engine of a run: verdict and status. */
async function found({ isRunOver = false, copy, engine, result, code }: Shape): Promise<string> {
  const node = {
    id: 'n',
    name: 'n',
    displayName: 'n',
    type: 'Pod',
    phase: 'Succeeded',
    startedAt: BEGIN,
    inputs: { artifacts: [{ name: 'a', raw: { data: MANIFEST } }] },
  } satisfies NodeStatus;
  const workflow = {
    metadata: { name: 'run', namespace: 'litmus', uid: 'u-1' },
    spec: {},
    status: isRunOver ? { finishedAt: BEGIN } : {},
  } as Workflow;
  const client = {
    find: async (resource: { plural: string }) => {
      if (code !== undefined) throw new ApiError('GET /x', code, { message: 'no' });
      return (resource.plural === 'chaosengines' ? engine : result) as never;
    },
    logLines: () => assert.fail('no log is read'),
  };
  const source = { client, ofRun: () => (copy === undefined ? [] : [copy]) };
  const engines = await findEngines(source as never, workflow, { n: node }, AbortSignal.timeout(PATIENCE_MS));
  const data = engines.get('n');
  return data === undefined ? 'nothing' : `${data.experimentVerdict} ${data.experimentStatus}`;
}

const OWN = { labels: { workflow_run_id: 'u-1' } };
const LATER = { creationTimestamp: '2026-01-01T00:00:00Z' };

const TABLE: readonly (readonly [name: string, shape: Shape, data: string])[] = [
  ['from the copy, while the run goes on', { copy: engine('running', 'Awaited', OWN) }, 'Awaited running'],
  [
    'anew at the end, where the copy is behind',
    { isRunOver: true, copy: engine('running', 'Awaited', OWN), engine: engine('completed', 'Pass', OWN) },
    'Pass completed',
  ],
  [
    'from the copy at the end, where the engine has just been deleted',
    { isRunOver: true, copy: engine('running', 'Pass', OWN) },
    'Pass running',
  ],
  [
    'from the copy at the end, where it is over',
    { isRunOver: true, copy: engine('completed', 'Pass', OWN), code: 403 },
    'Pass completed',
  ],
  ['not of an engine that was there before', { engine: engine('completed', 'Pass', LATER) }, 'nothing'],
  [
    'of an engine with its label, whatever the clocks say',
    { engine: engine('completed', 'Pass', { ...LATER, ...OWN }) },
    'Pass completed',
  ],
  ['not of what may not be read', { code: 403 }, 'nothing'],
  [
    'by the result of the run, where the engine has gone',
    {
      result: {
        metadata: { name: 'e-x', labels: { workflow_run_id: 'u-1' } },
        status: { experimentStatus: { phase: 'Completed', verdict: 'Fail' } },
      },
    },
    'Fail Completed',
  ],
  ['not by the result of another run', { result: { metadata: { name: 'e-x' } } }, 'nothing'],
];

for (const [name, shape, data] of TABLE) {
  test(`an engine is known ${name}`, async () => assert.equal(await found(shape), data));
}

test('what fails for a moment is an error, and so tried again', async () => {
  await assert.rejects(found({ code: 500 }), ApiError);
});
