import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SHOP } from '../../controlplane/experiment/testing/scene.ts';
import { AgentSocket } from '../../controlplane/infra/testing/agent-socket.ts';
import { untilChanged } from '../../controlplane/infra/testing/until.ts';
import { executionText } from '../../controlplane/run/testing/execution.ts';
import { otherDatabase } from '../../controlplane/store/testing/databases.ts';
import { RemoteScene } from './testing/remote-scene.ts';

const POD_LOG = `mutation ($r: PodLog!) { podLog(request: $r) }`;
const STEPS = {
  ...{ name: 'shop-1', namespace: 'litmus', phase: 'Completed', finishedAt: '9' },
  nodes: {
    'shop-1': { name: 'shop-1', phase: 'Completed', type: 'Steps', finishedAt: '9', children: null },
    'shop-1-2': { name: 'install', phase: 'Completed', type: 'Pod', finishedAt: '9' },
  },
};

describe('turnsole remote experiment, run', () => {
  const database = otherDatabase('sqlite', true);
  assert.ok(database !== undefined);

  /** A server with the experiment `shop`. @returns with its ID */
  async function withShop(): Promise<readonly [RemoteScene, id: string]> {
    const remote = await RemoteScene.start(database as NonNullable<typeof database>);
    const saved = await remote.printed([
      'experiment',
      'save',
      remote.file('shop.json', SHOP),
      '--infra',
      'cluster',
    ]);
    const id = /^experiment shop saved \(([0-9a-f-]{36})\)$/.exec(saved)?.[1];
    assert.ok(id !== undefined, saved);
    return [remote, id];
  }

  test('saves an experiment and new revisions of it, shows it, removes it', async () => {
    const [remote, id] = await withShop();
    const again = await remote.printed(['experiment', 'save', remote.file('again.json', SHOP)]);
    assert.equal(again, `experiment shop saved (${id})`);
    for (const name of ['shop', id]) {
      const shown = JSON.parse(await remote.printed(['experiment', 'show', name]));
      assert.deepEqual([shown.kind, shown.metadata.labels.workflow_id], ['Workflow', id]);
    }
    assert.match(await remote.printed(['experiment', 'list']), /^shop +experiment +cluster /m);
    assert.deepEqual(await remote.refused(['experiment', 'stop', 'shop']), [
      2,
      'URL: no running, timeout, or queued experiments found [REMOTE_REFUSED]',
    ]);
    await remote.printed(['experiment', 'run', 'shop']);
    assert.equal(await remote.printed(['experiment', 'stop', 'shop']), 'runs of shop are being stopped');
    assert.equal(await remote.printed(['experiment', 'remove', 'shop']), 'experiment shop deleted');
    for (const command of ['show', 'run', 'stop', 'remove']) {
      const refused = await remote.refused(['experiment', command, 'shop']);
      assert.deepEqual(refused, [2, 'there is no experiment "shop" [NOT_FOUND]']);
    }
  });

  test('refuses files that are no experiment, and places that are not there', async () => {
    const remote = await RemoteScene.start(database);
    const shop = remote.file('shop.json', SHOP);
    const kinds = 'expected one of Workflow, CronWorkflow, ChaosEngine, ChaosSchedule, with a name';
    for (const [args, message] of [
      [[shop], 'experiment shop is new: say where it runs with --infra NAME [OPTION_INVALID]'],
      [[shop, '--infra', 'none'], 'there is no infrastructure "none"; there are: cluster [NOT_FOUND]'],
      [
        ['/none.yaml'],
        "cannot read /none.yaml: ENOENT: no such file or directory, open '/none.yaml' [OPTION_INVALID]",
      ],
      [[remote.file('pod.yaml', 'kind: Pod')], `${remote.home}/pod.yaml: ${kinds} [OPTION_INVALID]`],
      [
        [remote.file('two.yaml', 'a: 1\n---\nb: 2')],
        `${remote.home}/two.yaml: expected one document, found 2 [OPTION_INVALID]`,
      ],
    ] as const) {
      assert.deepEqual(await remote.refused(['experiment', 'save', ...args]), [2, message]);
    }
  });

  test('a viewer looks, and changes nothing', async () => {
    const [remote] = await withShop();
    const vera = await remote.scene.server.user('vera');
    await remote.addMember(vera, 'Viewer');
    const viewer = remote.as(vera.token);
    assert.match(await remote.printed(['experiment', 'list'], viewer), /^shop /m);
    for (const args of [
      ['experiment', 'save', remote.file('shop.json', SHOP)],
      ['experiment', 'run', 'shop'],
      ['experiment', 'stop', 'shop'],
      ['experiment', 'remove', 'shop'],
      ['halt', '--reason', 'x'],
      ['resume'],
    ]) {
      const [code, message] = await remote.refused(args, viewer);
      assert.equal(code, 2);
      assert.match(message, /^URL: permission_denied.*\[REMOTE_REFUSED\]$/);
    }
  });

  test('waits for runs, whose verdict is the exit code', async () => {
    const [remote, id] = await withShop();
    const { scene } = remote;
    const { store } = scene.server.plane;
    for (const [experimentVerdict, phase, code, outcome, score] of [
      ['Pass', 'Completed', 0, 'Passed', 'score 100, 1 of 1 faults passed'],
      [
        'Fail',
        'Completed_With_Probe_Failure',
        1,
        'Failed: pod-delete-k8q: failed',
        'score 0, 0 of 1 faults passed',
      ],
    ] as const) {
      const waiting = remote.run(['experiment', 'run', 'shop', '--wait'], remote.as());
      const queued = await untilChanged(
        store,
        scene.project,
        () => store.read.selectFrom('runs').selectAll().where('phase', '=', 'Queued').executeTakeFirst(),
        (row) => row !== undefined,
      );
      const probeSuccessPercentage = experimentVerdict === 'Pass' ? '100' : '0';
      const engine = { engineName: 'pod-delete-k8q', experimentVerdict, probeSuccessPercentage };
      const text = executionText([engine], { phase, finishedAt: '9' });
      const event = { experimentID: id, runID: `run ${code}`, notifyID: queued?.notify_id ?? '' };
      await scene.report({ ...event, text, completed: true });
      const lines = [
        `run of shop ordered (${event.notifyID})`,
        'Queued',
        `${phase} (${event.runID})`,
        outcome,
        score,
      ];
      const { stdout, ...ended } = await waiting;
      assert.deepEqual(ended, { code, stderr: '' });
      // Whether it was seen in the queue is a matter of time.
      assert.deepEqual(
        stdout.split('\n').filter((line) => line !== 'Queued'),
        lines.toSpliced(1, 1),
      );
      const again = await remote.run(['run', 'wait', event.runID], remote.as());
      assert.deepEqual(again, { code, stdout: lines.slice(2).join('\n'), stderr: '' });
    }
    assert.match(await remote.printed(['run', 'list']), /^run 0 +shop +cluster +Passed +100 +1\/1 /m);
  });

  test('says why a run never began, with the code for a run without a verdict', async () => {
    const [remote, id] = await withShop();
    const { scene } = remote;
    const notify = await scene.run(id);
    const mutation = `mutation ($r: InfraActionResult!) { infraActionResult(request: $r) }`;
    const r = { infraID: scene.agent, requestID: notify, requestType: 'create', isDone: false };
    await scene.server.data(mutation, { r: { ...r, message: 'forbidden: no chaos\non Fridays' } });
    const { code, stdout, stderr } = await remote.run(['run', 'wait', notify], remote.as());
    assert.deepEqual([code, stderr], [3, '']);
    assert.equal(
      stdout,
      'Error\nCould not run: forbidden: no chaos on Fridays\nscore none, 0 of 1 faults passed',
    );
  });

  test('says what it waited for in vain, and that no run is of that name', async () => {
    const [remote] = await withShop();
    const wait = ['experiment', 'run', 'shop', '--wait', '--timeout', '1ms'];
    const { stdout, ...late } = await remote.run(wait, remote.as());
    assert.match(stdout, /^run of shop ordered \([0-9a-f-]{36}\)\nQueued$/);
    const stderr = 'the run was not over within 0 s, and is Queued; it goes on [RUN_TIMEOUT]';
    assert.deepEqual(late, { code: 3, stderr });
    for (const command of ['wait', 'logs']) {
      assert.deepEqual(await remote.refused(['run', command, 'none']), [
        2,
        'URL: no matching experiment run [REMOTE_REFUSED]',
      ]);
    }
  });

  test('prints the logs of the pods of a run, as its agent has them', async () => {
    const [remote, id] = await withShop();
    const { scene } = remote;
    const notifyID = await scene.run(id);
    await scene.report({ experimentID: id, runID: 'run-1', notifyID });
    assert.equal(await remote.printed(['run', 'logs', 'run-1']), 'the run has no pods yet');
    await scene.report({
      experimentID: id,
      runID: 'run-1',
      notifyID,
      text: JSON.stringify(STEPS),
      completed: true,
    });
    await using socket = await AgentSocket.connect(remote.url, scene.agent);
    const printed = remote.printed(['run', 'logs', 'run-1']);
    let action = await socket.action();
    while (action.requestType !== 'logs') action = await socket.action();
    const { requestID } = action;
    const log = JSON.stringify({ mainLogs: 'one\ntwo\n', chaosLogs: { 'pod-delete-x': 'three' } });
    const r = {
      infraID: scene.agent,
      requestID,
      experimentRunID: 'run-1',
      podName: 'shop-1-2',
      podType: 'Pod',
      log,
    };
    await scene.server.data(POD_LOG, { r });
    assert.equal(await printed, '== install\none\ntwo\n== pod pod-delete-x\nthree');
  });
});
