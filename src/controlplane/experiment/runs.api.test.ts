import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { CONTROLLER_LIMIT_MS, endUntakenRuns } from '../run/end-untaken-runs.ts';
import { expireQueuedRuns, QUEUE_LIMIT_MS } from '../run/expire-queued-runs.ts';
import { pruneRuns } from '../run/prune-runs.ts';
import { type EngineFacts, executionText } from '../run/testing/execution.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';
import { cronOf, standaloneOf, workflowOf } from './testing/manifests.ts';
import { Scene, SHOP } from './testing/scene.ts';

const GET = `query ($p: ID!, $run: ID, $notify: ID) {
  getExperimentRun(projectID: $p, experimentRunID: $run, notifyID: $notify) {
    experimentRunID notifyID experimentID experimentName experimentType phase resiliencyScore runSequence
    faultsPassed faultsFailed faultsNa totalFaults executionData experimentManifest problem
    weightages { faultName weightage } infra { infraID } origin createdBy { username } updatedBy { username }
  }
}`;
const LIST = `query ($p: ID!, $r: ListExperimentRunRequest!) {
  listExperimentRun(projectID: $p, request: $r) { totalNoOfExperimentRuns experimentRuns { experimentRunID executionData } }
}`;
const STATS = `query ($p: ID!) {
  getExperimentRunStats(projectID: $p) {
    totalExperimentRuns totalCompletedExperimentRuns totalTerminatedExperimentRuns
    totalRunningExperimentRuns totalStoppedExperimentRuns totalErroredExperimentRuns
  }
}`;
const SCORES = `query ($p: ID!, $id: String!) {
  getExperiment(projectID: $p, experimentID: $id) {
    averageResiliencyScore
    experimentDetails { recentExperimentRunDetails { runSequence phase resiliencyScore experimentRunID } }
  }
  getExperimentStats(projectID: $p) { totalExpCategorizedByResiliencyScore { id count } }
}`;
const PROBES = `query ($p: ID!, $run: String!, $fault: String!) {
  getProbesInExperimentRun(projectID: $p, experimentRunID: $run, faultName: $fault) {
    mode status { verdict description } probe { name type }
  }
}`;
const REFERENCE = `query ($p: ID!) {
  getProbeReference(projectID: $p, probeName: "web-answers") {
    totalRuns recentExecutions { faultName mode executionHistory { status { verdict } executedByExperiment { experimentID experimentName updatedBy { username } } } }
  }
  listProbes(projectID: $p) { referencedBy recentExecutions { faultName status { verdict } } }
}`;
const STOP = `mutation ($p: ID!, $id: String!, $run: String, $notify: String) {
  stopExperimentRuns(projectID: $p, experimentID: $id, experimentRunID: $run, notifyID: $notify)
}`;
const REMOVE = `mutation ($p: ID!, $id: String!, $run: String) {
  deleteChaosExperiment(projectID: $p, experimentID: $id, experimentRunID: $run)
}`;

const ENGINE: EngineFacts = {
  engineName: 'pod-deleteabcde',
  experimentVerdict: 'Pass',
  probeSuccessPercentage: '75',
  probeStatuses: [
    { name: 'web-answers', mode: 'Continuous', status: { verdict: 'Passed', description: 'fine' } },
  ],
};
const STARTED = executionText([]);
const HALFWAY = executionText([{ ...ENGINE, phase: 'Running' }]);
const ENDED = executionText([ENGINE], { phase: 'Completed', finishedAt: '9' });
const STOPPED = executionText([ENGINE], { phase: 'Stopped', finishedAt: '9' });

interface ShownRun {
  readonly phase: string;
  readonly [field: string]: unknown;
}

async function shown(scene: Scene, names: { run?: string; notify?: string }): Promise<ShownRun> {
  return (await scene.data(GET, names)).getExperimentRun as ShownRun;
}

async function stats(scene: Scene): Promise<Record<string, number>> {
  const counts = (await scene.data(STATS)).getExperimentRunStats as Record<string, number>;
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

/** The agent's connection has got all of its actions. */
async function sent(scene: Scene): Promise<void> {
  await scene.server.plane.store.transaction('test', async ({ db, now }) => {
    await db.updateTable('actions').set({ sent_at: now }).execute();
  });
}

describeOnDatabases('runs', (database) => {
  test('a run from runChaosExperiment to its last word: getExperimentRun, getProbesInExperimentRun, scores, getExperimentRunStats', async () => {
    const scene = await Scene.start(database);
    await scene.save('e1');
    const notify = await scene.run('e1');
    const [order, ...others] = await scene.orders();
    assert.deepEqual(others, []);
    assert.deepEqual([order?.type, order?.namespace], ['create', 'litmus']);
    const { metadata } = JSON.parse(order?.manifest ?? '');
    assert.match(metadata.name, /^shop-\d{13}$/);
    assert.equal(metadata.labels.notify_id, notify);

    const queued = await shown(scene, { notify });
    assert.deepEqual(
      [queued.phase, queued.experimentRunID, queued.runSequence, queued.totalFaults],
      ['Queued', '', 1, 1],
    );
    assert.equal(JSON.parse(String(queued.executionData)).phase, 'Queued');

    const event = { experimentID: 'e1', runID: 'uid', notifyID: notify };
    const { data } = await scene.report({ ...event, text: STARTED });
    assert.equal(
      data?.chaosExperimentRun,
      'Experiment run received for for ExperimentID: e1, ExperimentRunID: uid',
    );
    assert.equal((await shown(scene, { run: 'uid' })).phase, 'Running');
    assert.deepEqual(await stats(scene), { totalExperimentRuns: 1, totalRunningExperimentRuns: 1 });
    await scene.report({ ...event, text: HALFWAY });
    await scene.report({ ...event, text: ENDED, completed: true });

    const { executionData, experimentManifest, ...ended } = await shown(scene, { run: 'uid' });
    assert.equal(executionData, ENDED);
    assert.equal(JSON.parse(String(experimentManifest)).metadata.name, 'shop');
    assert.deepEqual(ended, {
      experimentRunID: 'uid',
      notifyID: notify,
      experimentID: 'e1',
      experimentName: 'shop',
      experimentType: 'experiment',
      phase: 'Completed',
      problem: null,
      resiliencyScore: 75,
      runSequence: 1,
      faultsPassed: 1,
      faultsFailed: 0,
      faultsNa: 0,
      totalFaults: 1,
      weightages: [{ faultName: 'pod-delete', weightage: 10 }],
      infra: { infraID: scene.agent.infraID },
      createdBy: { username: 'olga' },
      updatedBy: { username: 'olga' },
      origin: 'user',
    });
    assert.deepEqual(await stats(scene), { totalExperimentRuns: 1, totalCompletedExperimentRuns: 1 });
    assert.deepEqual(await scene.data(SCORES, { id: 'e1' }), {
      getExperiment: {
        averageResiliencyScore: 75,
        experimentDetails: {
          recentExperimentRunDetails: [
            { runSequence: 1, phase: 'Completed', resiliencyScore: 75, experimentRunID: 'uid' },
          ],
        },
      },
      getExperimentStats: {
        totalExpCategorizedByResiliencyScore: [
          { id: 0, count: 0 },
          { id: 40, count: 1 },
          { id: 80, count: 0 },
        ],
      },
    });
    const probes = await scene.data(PROBES, { run: 'uid', fault: 'pod-delete-k8q' });
    assert.deepEqual(probes.getProbesInExperimentRun, [
      {
        mode: 'Continuous',
        status: { verdict: 'Passed', description: 'fine' },
        probe: { name: 'web-answers', type: 'httpProbe' },
      },
    ]);
  });

  test('getProbeReference and listProbes: executions are awaited, then known', async () => {
    const scene = await Scene.start(database);
    await scene.save('e1');
    const notify = await scene.run('e1');
    const of = async (verdict: string): Promise<void> => {
      assert.deepEqual(await scene.data(REFERENCE), {
        getProbeReference: {
          totalRuns: 1,
          recentExecutions: [
            {
              faultName: 'pod-delete-k8q',
              mode: 'Continuous',
              executionHistory: [
                {
                  status: { verdict },
                  executedByExperiment: {
                    experimentID: 'e1',
                    experimentName: 'shop',
                    updatedBy: { username: 'olga' },
                  },
                },
              ],
            },
          ],
        },
        listProbes: [
          { referencedBy: 1, recentExecutions: [{ faultName: 'pod-delete-k8q', status: { verdict } }] },
        ],
      });
    };
    await of('Awaited');
    await scene.report({ experimentID: 'e1', runID: 'uid', notifyID: notify, text: ENDED, completed: true });
    await of('Passed');
    const none = await scene.data(PROBES, { run: 'uid', fault: 'other' });
    assert.deepEqual(none.getProbesInExperimentRun, []);
  });

  test('chaosExperimentRun: words that come twice, late or out of order change nothing', async () => {
    const scene = await Scene.start(database);
    await scene.save('e1');
    const event = { experimentID: 'e1', runID: 'uid', notifyID: await scene.run('e1') };
    await scene.report({ ...event, text: HALFWAY });
    const stale = await scene.report({ ...event, text: STARTED });
    assert.deepEqual(stale.errors, []);
    assert.equal((await shown(scene, { run: 'uid' })).executionData, HALFWAY);
    await scene.report({ ...event, text: ENDED, completed: true });
    for (const late of [
      { text: ENDED, completed: true },
      { text: STOPPED, completed: true },
      { text: STARTED },
    ]) {
      const { errors } = await scene.report({ ...event, ...late });
      assert.equal(
        errors[0]?.message,
        'experiment run has been discarded due the duplicate event, workflowId: e1, workflowRunId: uid',
      );
    }
    assert.equal((await shown(scene, { run: 'uid' })).executionData, ENDED);
    assert.deepEqual(await stats(scene), { totalExperimentRuns: 1, totalCompletedExperimentRuns: 1 });
  });

  test('chaosExperimentRun: only the agent of the run is believed, and only what can be read', async () => {
    const scene = await Scene.start(database);
    await scene.save('e1');
    const event = { experimentID: 'e1', runID: 'uid', notifyID: await scene.run('e1') };
    const wrongKey = await scene.report(event, { ...scene.agent, accessKey: 'forged' });
    assert.equal(wrongKey.errors[0]?.message, 'ERROR:  accessID MISMATCH');

    const second = await scene.server.agent(scene.project, 'second');
    const foreign = await scene.server.agent(await scene.server.project([[scene.owner, 'Owner']]));
    for (const agent of [second, foreign]) {
      for (const reported of [event, { experimentID: 'e1', runID: 'made-up' }]) {
        const { data } = await scene.report(reported, agent);
        assert.equal(
          data?.chaosExperimentRun,
          `no experiment found with experimentID: e1, experiment run discarded: ${reported.runID}`,
        );
      }
    }
    assert.equal((await shown(scene, { notify: event.notifyID })).phase, 'Queued');
    assert.deepEqual(await stats(scene), { totalExperimentRuns: 1 });

    const unread = await scene.report({ ...event, text: '[1]' });
    assert.equal(
      unread.errors[0]?.message,
      'cannot take what is told of a run: executionData is no JSON object in Base64',
    );
    const nameless = await scene.report({ ...event, runID: '' });
    assert.equal(nameless.errors[0]?.message, 'cannot take what is told of a run: experimentRunID is empty');
  });

  test('chaosExperimentRun: a schedule begins runs by itself, for the user who has set it, whatever its agent says', async () => {
    const scene = await Scene.start(database);
    await scene.save('e1', { manifest: JSON.stringify(cronOf(workflowOf()).object) });
    await scene.run('e1');
    const others = await scene.server.user('vera');
    const said = [others.username, 'päul', 'admin'].map((name) => Buffer.from(name).toString('base64url'));
    for (const [index, updatedBy] of [...said, '%%% not base64 \u0000', '', 'x'.repeat(5_000)].entries()) {
      await scene.report({ experimentID: 'e1', runID: `uid-${index}`, updatedBy });
      const run = await shown(scene, { run: `uid-${index}` });
      assert.deepEqual(
        [run.runSequence, run.phase, run.origin, run.createdBy, run.updatedBy],
        [index + 1, 'Running', 'schedule', { username: 'olga' }, { username: 'olga' }],
        updatedBy,
      );
    }
    await scene.report({ experimentID: 'e1', runID: 'last', text: ENDED, completed: true });
    assert.equal((await shown(scene, { run: 'last' })).phase, 'Completed');
  });

  test("a run that its agent has invented is shown as its own, and no id or name makes it a user's", async () => {
    const scene = await Scene.start(database);
    await scene.save('e1');
    const notify = await scene.run('e1');
    const updatedBy = Buffer.from('olga').toString('base64url');
    const agent = { username: 'the agent of its infrastructure' };
    await scene.report({ experimentID: 'e1', runID: 'invented', notifyID: 'invented too', updatedBy });
    const invented = await shown(scene, { run: 'invented' });
    assert.deepEqual(
      [invented.origin, invented.notifyID ?? null, invented.createdBy, invented.updatedBy],
      ['agent', null, agent, agent],
    );
    // A run that a user has asked for stays that user's, whatever the agent says of it.
    const vera = Buffer.from('vera').toString('base64url');
    await scene.report({ experimentID: 'e1', runID: 'asked', notifyID: notify, updatedBy: vera });
    const asked = await shown(scene, { run: 'asked' });
    assert.deepEqual([asked.origin, asked.updatedBy], ['user', { username: 'olga' }]);
  });

  test('chaosExperimentRun: a run begins with a revision of its own experiment, or not at all', async () => {
    const scene = await Scene.start(database);
    const revisionsOf = async (id: string): Promise<string[]> => {
      const { read } = scene.server.plane.store;
      const rows = await read
        .selectFrom('revisions')
        .select('id')
        .where('experiment_id', '=', id)
        .orderBy('created_at')
        .execute();
      return rows.map((row) => row.id);
    };
    await scene.save('e1');
    await scene.save('e1', { manifest: SHOP.replace('Continuous', 'Edge') });
    const other = { ...JSON.parse(SHOP), metadata: { name: 'other', namespace: 'litmus' } };
    await scene.save('e2', { name: 'other', manifest: JSON.stringify(other) });
    const [older = '', newest = ''] = await revisionsOf('e1');
    const [ofOther = ''] = await revisionsOf('e2');
    const begin = async (runID: string, revisionID: string): Promise<unknown> =>
      (await scene.report({ experimentID: 'e1', runID, revisionID })).data?.chaosExperimentRun;
    for (const revisionID of [ofOther, 'invented', '__proto__', `${newest} `, newest.toUpperCase()]) {
      if (revisionID === newest) continue;
      assert.equal(
        await begin('uid', revisionID),
        `no experiment found with experimentID: e1 and revisionID: ${revisionID}, experiment run discarded: uid`,
      );
    }
    assert.deepEqual(await stats(scene), {});
    for (const [runID, revisionID] of [
      ['of-older', older],
      ['of-newest', newest],
      ['unsaid', ''],
    ] as const) {
      assert.match(String(await begin(runID, revisionID)), /received/);
    }
    const { read } = scene.server.plane.store;
    const runs = await read.selectFrom('runs').select(['run_id', 'revision_id']).orderBy('run_id').execute();
    assert.deepEqual(
      runs.map(({ run_id, revision_id }) => [run_id, revision_id]),
      [
        ['of-newest', newest],
        ['of-older', older],
        ['unsaid', newest],
      ],
    );
    // A run that has begun keeps its revision, whatever is said later.
    assert.match(String(await begin('of-older', ofOther)), /received/);
    const kept = await read
      .selectFrom('runs')
      .select('revision_id')
      .where('run_id', '=', 'of-older')
      .execute();
    assert.deepEqual(
      kept.map((run) => run.revision_id),
      [older],
    );
  });

  test('an engine without a workflow is a run, known by its name', async () => {
    const scene = await Scene.start(database);
    await scene.save('e1', { manifest: JSON.stringify(standaloneOf('ChaosEngine').object) });
    const notify = await scene.run('e1');
    const [order] = await scene.orders();
    const { name } = JSON.parse(order?.manifest ?? '').metadata;
    const engine = { ...ENGINE, engineName: name, experimentName: 'pod-delete' };
    const text = executionText([engine], { phase: 'Succeeded', finishedAt: '9', name });
    await scene.report({ experimentID: 'e1', runID: 'uid', name, text, completed: true });
    const run = await shown(scene, { notify });
    assert.deepEqual([run.experimentRunID, run.phase, run.resiliencyScore], ['uid', 'Completed', 75]);
  });

  test('stopExperimentRuns: a run that its agent has not got never begins', async () => {
    const scene = await Scene.start(database);
    await scene.save('e1');
    const notify = await scene.run('e1');
    assert.equal((await scene.data(STOP, { id: 'e1', notify })).stopExperimentRuns, true);
    assert.deepEqual(await scene.orders(), []);
    assert.equal((await shown(scene, { notify })).phase, 'Stopped');
    assert.equal(await scene.refusal(STOP, { id: 'e1' }), 'no running, timeout, or queued experiments found');
    assert.equal(await scene.refusal(STOP, { id: 'e1', run: 'none' }), 'no matching experiment run');
  });

  test('stopExperimentRuns: a run that its agent has received but not reported is stopped by its first report', async () => {
    const scene = await Scene.start(database);
    await scene.save('e1');
    const event = { experimentID: 'e1', runID: 'uid', notifyID: await scene.run('e1') };
    await sent(scene);
    await scene.orders();
    await scene.data(STOP, { id: 'e1' });
    assert.deepEqual(await scene.orders(), []);
    await scene.report({ ...event, text: STARTED });
    assert.deepEqual(await scene.orders(), [
      { type: 'workflow_run_stop', manifest: '', namespace: '', externalData: 'uid' },
    ]);
    await scene.report({ ...event, text: HALFWAY });
    assert.deepEqual(await scene.orders(), [], 'once');
    assert.equal((await shown(scene, { run: 'uid' })).phase, 'Stopped');
  });

  test('stopExperimentRuns: a stopped run takes graph and score of the last word, and stays stopped', async () => {
    const scene = await Scene.start(database);
    await scene.save('e1');
    const event = { experimentID: 'e1', runID: 'uid', notifyID: await scene.run('e1') };
    await scene.report({ ...event, text: HALFWAY });
    await scene.orders();
    await scene.data(STOP, { id: 'e1', run: 'uid' });
    assert.deepEqual(
      (await scene.orders()).map(({ type }) => type),
      ['workflow_run_stop'],
    );
    assert.deepEqual(await stats(scene), { totalExperimentRuns: 1, totalStoppedExperimentRuns: 1 });
    await scene.report({ ...event, text: ENDED, completed: true });
    const run = await shown(scene, { run: 'uid' });
    assert.deepEqual([run.phase, run.resiliencyScore, run.executionData], ['Stopped', 75, ENDED]);
    const { getExperiment } = await scene.data(SCORES, { id: 'e1' });
    // What was not judged to its end is in no mean.
    assert.equal((getExperiment as { averageResiliencyScore: number }).averageResiliencyScore, 0);
    await scene.data(STOP, { id: 'e1', run: 'uid' });
    assert.deepEqual(await scene.orders(), [], 'a run that is over is not stopped again');
  });

  test('a run that no agent takes up ends after its time, and lives on when its agent tells of it after all', async () => {
    const clock = new FakeClock();
    const scene = await Scene.start(database, { clock });
    await scene.save('e1');
    const notify = await scene.run('e1');
    const expire = (): Promise<void> => expireQueuedRuns({ plane: scene.server.plane });
    await clock.advance(QUEUE_LIMIT_MS);
    await expire();
    assert.equal((await shown(scene, { notify })).phase, 'Queued');
    await clock.advance(1);
    await expire();
    await expire();
    const late = await shown(scene, { notify });
    assert.equal(late.phase, 'Timeout');
    assert.match(String(late.problem), /^its agent did not take it up within 15 minutes; see that /);
    assert.deepEqual(await scene.orders(), [], 'the order is taken back');
    assert.deepEqual(await stats(scene), { totalExperimentRuns: 1 });

    await scene.report({ experimentID: 'e1', runID: 'uid', notifyID: notify, text: STARTED });
    const { phase, problem } = await shown(scene, { notify });
    assert.deepEqual([phase, problem], ['Running', null]);
    assert.deepEqual(await stats(scene), { totalExperimentRuns: 1, totalRunningExperimentRuns: 1 });
  });

  test('a workflow that no controller takes up ends with the reason, and is stopped; one that is held back waits', async () => {
    const clock = new FakeClock();
    const scene = await Scene.start(database, { clock });
    await scene.save('e1');
    const pending = (message: string): string =>
      JSON.stringify({ name: 'shop-1', namespace: 'litmus', phase: 'Pending', message, nodes: {} });
    const event = { experimentID: 'e1', runID: 'uid', notifyID: await scene.run('e1') };
    await scene.report({ ...event, text: pending('') });
    const held = { experimentID: 'e1', runID: 'held', notifyID: await scene.run('e1') };
    await scene.report({ ...held, text: pending('Waiting for lock') });
    await scene.orders();
    await clock.advance(CONTROLLER_LIMIT_MS);
    await endUntakenRuns({ plane: scene.server.plane });
    assert.equal((await shown(scene, { run: 'uid' })).phase, 'Pending');
    await clock.advance(1);
    await endUntakenRuns({ plane: scene.server.plane });
    await endUntakenRuns({ plane: scene.server.plane });
    assert.equal((await shown(scene, { run: 'held' })).phase, 'Pending');
    assert.deepEqual(
      (await scene.orders()).map(({ type }) => type),
      ['workflow_run_stop'],
    );
    await scene.report({ ...event, text: STOPPED, completed: true });
    const { phase, problem } = await shown(scene, { run: 'uid' });
    assert.equal(phase, 'Error');
    assert.match(
      String(problem),
      /^no workflow controller took the workflow up within 5 minutes; .* namespace litmus/,
    );
    await scene.report({ ...event, text: HALFWAY });
    assert.equal((await shown(scene, { run: 'uid' })).phase, 'Running', 'a controller that was slow counts');
  });

  test('infraActionResult ends a run that its agent could not begin', async () => {
    const scene = await Scene.start(database);
    await scene.save('e1');
    const notify = await scene.run('e1');
    const mutation = `mutation ($r: InfraActionResult!) { infraActionResult(request: $r) }`;
    const tell = (isDone: boolean, from = scene.agent): Promise<unknown> => {
      const message = 'admission webhook denied the request';
      const r = { infraID: from, requestID: notify, requestType: 'create', isDone, message };
      return scene.server.data(mutation, { r });
    };
    await tell(false, await scene.server.agent(scene.project, 'other'));
    assert.equal((await shown(scene, { notify })).phase, 'Queued');
    await tell(false);
    await tell(false);
    const run = await shown(scene, { notify });
    const { message, nodes } = JSON.parse(String(run.executionData));
    const why = 'admission webhook denied the request';
    assert.deepEqual([run.phase, run.problem, message, nodes], ['Error', why, why, {}]);
    assert.deepEqual(await stats(scene), { totalExperimentRuns: 1, totalErroredExperimentRuns: 1 });
    const { body } = await scene.server.app.inject({
      url: `/export/run/${scene.project}/${notify}/junit`,
      headers: { authorization: `Bearer ${scene.owner.token}` },
    });
    assert.match(body, new RegExp(`<error message="${why}"/>`));
    // Its agent has begun it after all: the reason is none any more.
    await scene.report({ experimentID: 'e1', runID: 'uid', notifyID: notify });
    assert.deepEqual(
      [(await shown(scene, { notify })).phase, (await shown(scene, { notify })).problem],
      ['Running', null],
    );
  });

  test('infraActionResult of a run that has begun, or was made, changes nothing of it', async () => {
    const scene = await Scene.start(database);
    await scene.save('e1');
    const mutation = `mutation ($r: InfraActionResult!) { infraActionResult(request: $r) }`;
    for (const isDone of [true, false]) {
      const notify = await scene.run('e1');
      if (!isDone) await scene.report({ experimentID: 'e1', runID: 'uid', notifyID: notify, text: STARTED });
      const r = { infraID: scene.agent, requestID: notify, requestType: 'create', isDone, message: '' };
      await scene.server.data(mutation, { r });
      assert.equal((await shown(scene, { notify })).phase, isDone ? 'Queued' : 'Running');
    }
  });

  test('runChaosExperiment leaves nothing behind when it cannot run', async () => {
    const scene = await Scene.start(database);
    await scene.save('e1');
    const run = `mutation ($p: ID!) { runChaosExperiment(projectID: $p, experimentID: "e1") { notifyID } }`;
    await scene.server.plane.store.transaction('test', async ({ db }) => {
      await db.updateTable('infras').set({ active: 0 }).execute();
    });
    assert.equal(await scene.refusal(run), 'experiment re-run failed due to inactive infra');
    await scene.server.plane.store.transaction('test', async ({ db }) => {
      await db.updateTable('infras').set({ active: 1 }).execute();
    });
    const engine = { annotations: { probeRef: '[{"name":"none","mode":"SOT"}]' } };
    const object = standaloneOf('ChaosEngine').object;
    const metadata = { ...engine, name: 'shop', namespace: 'litmus' };
    await scene.save('e1', { manifest: JSON.stringify({ ...object, metadata }) });
    assert.equal(
      await scene.refusal(run),
      'failed to generate probes in workflow manifest, err: failed to fetch probe details: the project has no probe named none',
    );
    assert.deepEqual([await stats(scene), await scene.orders()], [{}, []]);
  });

  test('webhooks learn once that a run is over, and infrastructures show what ran on them', async () => {
    const scene = await Scene.start(database);
    const hook = {
      project_id: scene.project,
      enabled: 1,
      events: '["RUN_ENDED","VERDICT_CHANGED"]',
    } as const;
    await scene.server.plane.store.transaction('test', async ({ db, now }) => {
      const made = { created_at: now, updated_at: now, created_by: 'test', updated_by: 'test' };
      const target = {
        name: 'hook',
        sealed_url: '',
        shown_url: '',
        format: 'GENERIC',
        sealed_secret: '',
      } as const;
      await db
        .insertInto('webhooks')
        .values({ id: 'w', ...hook, ...target, ...made })
        .execute();
    });
    await scene.save('e1');
    const event = { experimentID: 'e1', runID: 'uid', notifyID: await scene.run('e1') };
    await scene.report({ ...event, text: HALFWAY });
    await scene.data(STOP, { id: 'e1' });
    await scene.report({ ...event, text: STOPPED, completed: true });
    const second = { experimentID: 'e1', runID: 'uid-2', notifyID: await scene.run('e1') };
    await scene.report({ ...second, text: ENDED, completed: true });
    const rows = await scene.server.plane.store.read.selectFrom('deliveries').select('body').execute();
    assert.deepEqual(rows.map(({ body }) => JSON.parse(body).summary).toSorted(), [
      'Run 1 of shop ended: Stopped',
      'Run 2 of shop ended with Pass, and the one before it with Stopped',
      'Run 2 of shop ended: Passed, score 75',
    ]);
    const { getInfra } = await scene.data(
      `query ($p: ID!, $i: String!) { getInfra(projectID: $p, infraID: $i) { noOfExperiments noOfExperimentRuns lastExperimentTimestamp } }`,
      { i: scene.agent.infraID },
    );
    const { lastExperimentTimestamp, ...counts } = getInfra as Record<string, unknown>;
    assert.deepEqual(counts, { noOfExperiments: 1, noOfExperimentRuns: 2 });
    assert.match(String(lastExperimentTimestamp), /^\d{13}$/);
  });

  test('old runs that are over are deleted for good, and count no more', async () => {
    const clock = new FakeClock();
    const scene = await Scene.start(database, { clock });
    const { plane } = scene.server;
    await scene.save('e1', { manifest: JSON.stringify(cronOf(workflowOf()).object) });
    for (let index = 0; index < 101; index += 1) {
      await scene.report({ experimentID: 'e1', runID: `old-${index}`, text: ENDED, completed: true });
    }
    await scene.report({ experimentID: 'e1', runID: 'going' });
    await clock.advance(1_000);
    const before = clock.now();
    await scene.report({ experimentID: 'e1', runID: 'new', text: ENDED, completed: true });
    await pruneRuns(plane, before, new AbortController().signal);
    assert.deepEqual(await stats(scene), {
      totalExperimentRuns: 2,
      totalRunningExperimentRuns: 1,
      totalCompletedExperimentRuns: 1,
    });
    for (const table of ['runs', 'run_data'] as const) {
      assert.equal((await plane.store.read.selectFrom(table).selectAll().execute()).length, 2);
    }
    await scene.report({ experimentID: 'e1', runID: 'next' });
    assert.equal((await shown(scene, { run: 'next' })).runSequence, 104);
  });

  test('runs that begin in the same moment have names and numbers of their own', async () => {
    const scene = await Scene.start(database, { clock: new FakeClock() });
    await scene.save('e1');
    await Promise.all(Array.from({ length: 5 }, () => scene.run('e1')));
    const names = (await scene.orders()).map(({ manifest }) => JSON.parse(manifest).metadata.name);
    assert.equal(new Set(names).size, 5);
    const { getExperiment } = await scene.data(SCORES, { id: 'e1' });
    const { experimentDetails } = getExperiment as {
      experimentDetails: { recentExperimentRunDetails: { runSequence: number }[] };
    };
    assert.deepEqual(
      experimentDetails.recentExperimentRunDetails.map(({ runSequence }) => runSequence),
      [5, 4, 3, 2, 1],
    );
  });

  test('listExperimentRun: filters, order, pages; a deleted run is not seen any more', async () => {
    const scene = await Scene.start(database);
    await scene.save('e1', { manifest: JSON.stringify(cronOf(workflowOf()).object) });
    await scene.save('e2', {
      name: 'web',
      manifest: JSON.stringify({ ...workflowOf().object, metadata: { name: 'web' } }),
    });
    for (const runID of ['a', 'b']) await scene.report({ experimentID: 'e1', runID });
    await scene.report({ experimentID: 'e1', runID: 'c', text: ENDED, completed: true });
    await scene.report({ experimentID: 'e2', runID: 'd' });
    const list = async (r: object): Promise<[number, string]> => {
      const { listExperimentRun } = await scene.data(LIST, { r });
      const { totalNoOfExperimentRuns: total, experimentRuns } = listExperimentRun as {
        totalNoOfExperimentRuns: number;
        experimentRuns: { experimentRunID: string }[];
      };
      return [total, experimentRuns.map(({ experimentRunID }) => experimentRunID).join('')];
    };
    const sort = { field: 'TIME', ascending: true };
    assert.deepEqual(await list({ sort: { field: 'NAME' }, pagination: { page: 0, limit: 1 } }), [4, 'd']);
    const filters: readonly [request: object, runs: string][] = [
      [{}, 'abcd'],
      [{ experimentIDs: ['e2'] }, 'd'],
      [{ experimentRunIDs: ['b', 'c'] }, 'bc'],
      [{ filter: { experimentName: 'SHO' } }, 'abc'],
      [{ filter: { experimentStatus: 'Completed' } }, 'c'],
      [{ filter: { experimentStatus: 'All' } }, 'abcd'],
      [{ filter: { experimentRunStatus: ['Running', 'Error'] } }, 'abd'],
      [{ filter: { experimentType: 'NON_CRON' } }, 'd'],
      [{ filter: { experimentType: 'CRON', infraID: scene.agent.infraID } }, 'abc'],
      [{ filter: { experimentRunID: 'a' } }, 'a'],
      [{ filter: { dateRange: { startDate: '0', endDate: '1' } } }, ''],
    ];
    for (const [request, runs] of filters) {
      const found = await list({ sort, ...request });
      assert.deepEqual([found[0], [...found[1]].toSorted().join('')], [runs.length, runs]);
    }
    await scene.orders();
    assert.equal((await scene.data(REMOVE, { id: 'e1', run: 'b' })).deleteChaosExperiment, true);
    assert.deepEqual(await scene.orders(), [
      { type: 'workflow_run_delete', manifest: '', namespace: '', externalData: 'b' },
    ]);
    assert.deepEqual((await list({ sort }))[0], 3);
    assert.equal(await scene.refusal(GET, { run: 'b' }), 'no matching experiment run');
    assert.equal(await scene.refusal(REMOVE, { id: 'e1', run: 'd' }), 'no matching experiment run');
    assert.deepEqual(await stats(scene), {
      totalExperimentRuns: 3,
      totalRunningExperimentRuns: 2,
      totalCompletedExperimentRuns: 1,
    });
  });

  test('runs name the revision that was run: a new one after a change, else the same', async () => {
    const scene = await Scene.start(database);
    const query = `query ($p: ID!, $r: ListExperimentRunRequest!) {
      listExperimentRun(projectID: $p, request: $r) { experimentRuns { runSequence revisionID experimentManifest } }
    }`;
    await scene.save('e1');
    await scene.run('e1');
    await scene.run('e1');
    await scene.save('e1', { manifest: SHOP.replace('Continuous', 'Edge') });
    await scene.run('e1');
    const { listExperimentRun } = await scene.data(query, {
      r: { sort: { field: 'TIME', ascending: true } },
    });
    const { experimentRuns } = listExperimentRun as {
      readonly experimentRuns: readonly {
        readonly revisionID: string;
        readonly experimentManifest: string;
      }[];
    };
    const [first, second, third] = experimentRuns;
    assert.equal(first?.revisionID, second?.revisionID);
    assert.notEqual(second?.revisionID, third?.revisionID);
    assert.match(third?.experimentManifest ?? '', /Edge/);
  });
});
