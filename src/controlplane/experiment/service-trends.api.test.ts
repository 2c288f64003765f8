import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { executionText } from '../run/testing/execution.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';
import { Scene } from './testing/scene.ts';

const RECORD = `mutation ($r: RunRecordRequest!) { runRecord(request: $r) }`;
const TRENDS = `query ($p: ID!, $r: DateRange!) { getServiceTrends(projectID: $p, range: $r) {
  runs withoutService leftOut
  services { infraID kind namespace name change runs { experimentID experimentName experimentRunID runSequence state score recoverySeconds isBack } }
} }`;

/** The result of a run that hit a Deployment, of which a pod was missing for so many seconds. */
function resultOf(service: string, seconds: number): object {
  const time = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`;
  const ready = [
    { time: time(0), pods: 3 },
    { time: time(1), pods: 2 },
    { time: time(1 + seconds), pods: 3 },
  ];
  const workloads = [{ kind: 'deployment', namespace: 'shop', name: service, readyBefore: 3, ready }];
  const name = `${service}-pod-delete`;
  const object = {
    metadata: { name, namespace: 'litmus', uid: 'u' },
    spec: { engine: service, experiment: 'pod-delete' },
    status: { workloads },
  };
  return { kind: 'ChaosResult', namespace: 'litmus', name, object, known: 0, steps: [], leftOut: 0 };
}

describeOnDatabases('trends of services', (database) => {
  /** A run of an experiment that is over, with what its agent told. */
  async function ran(
    scene: Scene,
    runID: string,
    percentage: number,
    record: object | undefined,
  ): Promise<void> {
    const notifyID = await scene.run('e1');
    await scene.report({ experimentID: 'e1', runID, notifyID });
    if (record !== undefined) {
      const text = deflateRawSync(JSON.stringify(record)).toString('base64');
      const r = { infraID: scene.agent, experimentRunID: runID, record: text };
      assert.equal((await scene.server.data(RECORD, { r })).runRecord, 'TAKEN');
    }
    const verdict = percentage === 100 ? 'Passed' : 'Failed';
    const engine = {
      ...{ engineName: 'pod-deleteabcde', probeSuccessPercentage: String(percentage) },
      experimentVerdict: percentage === 100 ? 'Pass' : 'Fail',
      probeStatuses: [{ name: 'alive', type: 'httpProbe', mode: 'Continuous', status: { verdict } }],
    };
    const text = executionText([engine], { phase: 'Completed', finishedAt: '9' });
    await scene.report({ experimentID: 'e1', runID, text, completed: true });
  }

  test('getServiceTrends: how runs of a period went for what they hit; of another project, or before it, nothing', async () => {
    const scene = await Scene.start(database);
    await scene.save('e1');
    await ran(scene, 'first', 100, resultOf('web', 2));
    await ran(scene, 'second', 0, resultOf('web', 7));
    await ran(scene, 'third', 100, undefined);
    const range = { startDate: '0' };
    const { getServiceTrends } = await scene.data(TRENDS, { r: range });
    const { services, ...counts } = getServiceTrends as {
      services: { runs: { score: number | null; state: string }[]; change: number | null }[];
    };
    assert.deepEqual(counts, { runs: 3, withoutService: 1, leftOut: 0 });
    const run = { experimentID: 'e1', experimentName: 'shop', isBack: true };
    const [passed, failed] = services[0]?.runs ?? [];
    assert.deepEqual(services, [
      {
        ...{ infraID: scene.agent.infraID, kind: 'deployment', namespace: 'shop', name: 'web' },
        change: (failed?.score ?? Number.NaN) - (passed?.score ?? Number.NaN),
        runs: [
          { ...run, experimentRunID: 'first', runSequence: 1, ...passed, recoverySeconds: 2 },
          { ...run, experimentRunID: 'second', runSequence: 2, ...failed, recoverySeconds: 7 },
        ],
      },
    ]);
    assert.deepEqual(
      [passed, failed].map((one) => [one?.state, one?.score]),
      [
        ['passed', 100],
        ['failedByProbe', 0],
      ],
    );

    const none = { runs: 0, withoutService: 0, leftOut: 0, services: [] };
    const before = { startDate: '0', endDate: '1000' };
    assert.deepEqual((await scene.data(TRENDS, { r: before })).getServiceTrends, none);
    assert.match(
      (await scene.refusal(TRENDS, { r: { startDate: 'soon' } })) ?? '',
      /^unable to parse startDate "soon"/,
    );
    const { server, project } = scene;
    const other = await server.user('otto');
    const empty = await server.project([[other, 'Owner']]);
    assert.deepEqual((await server.data(TRENDS, { p: empty, r: range }, other)).getServiceTrends, none);
    const { errors } = await server.graphql(TRENDS, { p: project, r: range }, other);
    assert.equal(errors[0]?.extensions?.code, 'forbidden');
  });
});
