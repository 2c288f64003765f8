import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeOnDatabases } from '../store/testing/databases.ts';
import { cronOf, standaloneOf, workflowOf } from './testing/manifests.ts';
import { Scene, SHOP } from './testing/scene.ts';

const GET = `query ($p: ID!, $id: String!) {
  getExperiment(projectID: $p, experimentID: $id) {
    averageResiliencyScore
    experimentDetails {
      experimentID experimentType experimentManifest cronSyntax name description tags isCustomExperiment
      weightages { faultName weightage } infra { infraID name } createdBy { username }
      recentExperimentRunDetails { runSequence phase }
    }
  }
}`;
const CREATE = `mutation ($p: ID!, $r: ChaosExperimentRequest!) {
  createChaosExperiment(projectID: $p, request: $r) { experimentID experimentName cronSyntax tags isCustomExperiment }
}`;
const UPDATE = CREATE.replace('createChaos', 'updateChaos');
const LIST = `query ($p: ID!, $r: ListExperimentRequest!) {
  listExperiment(projectID: $p, request: $r) { totalNoOfExperiments experiments { name } }
}`;
const STATS = `query ($p: ID!) {
  getExperimentStats(projectID: $p) { totalExperiments totalExpCategorizedByResiliencyScore { id count } }
}`;
const REMOVE = `mutation ($p: ID!, $id: String!) { deleteChaosExperiment(projectID: $p, experimentID: $id) }`;

const request = (scene: Scene, more: object = {}): object => ({
  experimentManifest: SHOP,
  cronSyntax: '',
  experimentName: 'shop',
  experimentDescription: 'checks out',
  weightages: [{ faultName: 'pod-delete', weightage: 4 }],
  isCustomExperiment: false,
  infraID: scene.agent.infraID,
  tags: ['a'],
  ...more,
});

/** `{ kind, metadata: { name } }` … of another name. */
const named = (name: string, object: object): string =>
  JSON.stringify({ ...object, metadata: { name, namespace: 'litmus' } });

interface Details {
  readonly experimentManifest: string;
  readonly [field: string]: unknown;
}

async function details(scene: Scene, id: string): Promise<Details> {
  const { getExperiment } = await scene.data(GET, { id });
  return (getExperiment as { experimentDetails: Details }).experimentDetails;
}

describeOnDatabases('experiments', (database) => {
  test('saveChaosExperiment makes an experiment and changes it, getExperiment shows it', async () => {
    const scene = await Scene.start(database);
    assert.equal(await scene.save('e1'), 'experiment saved successfully with ID e1');
    const { experimentManifest, ...shown } = await details(scene, 'e1');
    assert.deepEqual(shown, {
      experimentID: 'e1',
      experimentType: 'experiment',
      cronSyntax: '',
      name: 'shop',
      description: '',
      tags: [],
      isCustomExperiment: true,
      weightages: [{ faultName: 'pod-delete', weightage: 10 }],
      infra: { infraID: scene.agent.infraID, name: 'cluster' },
      createdBy: { username: 'olga' },
      recentExperimentRunDetails: [],
    });
    const { labels } = JSON.parse(experimentManifest).metadata;
    assert.equal(labels.workflow_id, 'e1');
    assert.equal(labels.infra_id, scene.agent.infraID);
    assert.equal(labels.subject, '{{workflow.parameters.x}}');

    assert.equal(
      await scene.save('e1', { manifest: experimentManifest }),
      'experiment updated successfully with ID e1',
    );
    const again = JSON.parse((await details(scene, 'e1')).experimentManifest).metadata.labels;
    assert.notEqual(again.revision_id, labels.revision_id);
    assert.deepEqual(await scene.orders(), [], 'nothing is sent to the cluster');
    const probes = await scene.data(`query ($p: ID!) { listProbes(projectID: $p) { name } }`);
    assert.deepEqual(probes.listProbes, [{ name: 'web-answers' }], 'the probe in its engine, once');
  });

  test('createChaosExperiment and updateChaosExperiment take weights, tags and a first run', async () => {
    const scene = await Scene.start(database);
    const created = await scene.data(CREATE, { r: request(scene, { runExperiment: true }) });
    const { experimentID, ...answer } = created.createChaosExperiment as { experimentID: string };
    assert.deepEqual(answer, {
      experimentName: 'shop',
      cronSyntax: '',
      tags: ['a'],
      isCustomExperiment: false,
    });
    const first = await details(scene, experimentID);
    assert.deepEqual(first.weightages, [{ faultName: 'pod-delete', weightage: 4 }]);
    assert.deepEqual(first.recentExperimentRunDetails, [{ runSequence: 1, phase: 'Queued' }]);
    assert.deepEqual(
      (await scene.orders()).map(({ type }) => type),
      ['create'],
    );

    const r = request(scene, {
      experimentID,
      experimentName: 'shop-2',
      experimentManifest: named('shop-2', workflowOf().object),
      tags: null,
    });
    await scene.data(UPDATE, { r });
    const changed = await details(scene, experimentID);
    assert.deepEqual([changed.name, changed.tags, changed.weightages], ['shop-2', [], []]);
  });

  test('what cannot be stored is refused with the words that clients know', async () => {
    const scene = await Scene.start(database);
    await scene.save('e1');
    const prefix = 'could not create experiment, error: ';
    const create = (more: object): Promise<string | undefined> =>
      scene.refusal(CREATE, {
        r: request(scene, {
          experimentName: 'web',
          experimentManifest: named('web', workflowOf().object),
          ...more,
        }),
      });

    assert.equal(await create({ experimentName: 'x' }), `${prefix}Workflow name doesn't match`);
    assert.equal(
      await create({ experimentManifest: '{' }),
      `${prefix}failed to unmarshal workflow manifest1`,
    );
    assert.equal(
      await create({ experimentName: 'shop', experimentManifest: SHOP }),
      `${prefix}experiment name should be unique, duplicate experiment found with name: shop`,
    );
    assert.match(
      (await create({ experimentID: 'a b' })) ?? '',
      /"a b" cannot be the id of an experiment, which becomes a label: /,
    );
    assert.equal(
      await create({ infraID: 'none' }),
      `${prefix}failed to get infra details: this project has no infrastructure none`,
    );
    assert.equal(await create({ experimentID: 'e1' }), `${prefix}experiment e1 exists already`);
    await scene.server.plane.store.transaction('test', async ({ db }) => {
      await db.updateTable('infras').set({ active: 0 }).execute();
    });
    assert.equal(await create({}), `${prefix}experiment scheduling failed due to inactive infra`);
    assert.equal(
      await scene.refusal(UPDATE, { r: request(scene, { experimentID: 'none' }) }),
      'no experiment none in this project',
    );
  });

  test('an infrastructure of another project is none, and so is an experiment', async () => {
    const scene = await Scene.start(database);
    await scene.save('e1');
    const other = await scene.server.project([[scene.owner, 'Owner']]);
    const foreign = await scene.server.agent(other);
    assert.match(
      (await scene.refusal(CREATE, { r: request(scene, { infraID: foreign.infraID }) })) ?? '',
      /this project has no infrastructure/,
    );
    for (const query of [GET, REMOVE, RUN]) {
      const { errors } = await scene.server.graphql(query, { p: other, id: 'e1' }, scene.owner);
      assert.equal(errors[0]?.message, 'no experiment e1 in this project');
    }
  });

  test('listExperiment: filters, order, pages; getExperimentStats', async () => {
    const scene = await Scene.start(database);
    const manifests: readonly [name: string, object: object][] = [
      ['a-flow', workflowOf().object],
      ['b-cron', cronOf(workflowOf()).object],
      ['c-engine', standaloneOf('ChaosEngine').object],
    ];
    for (const [name, object] of manifests) await scene.save(name, { name, manifest: named(name, object) });
    const list = async (r: object): Promise<[number, string[]]> => {
      const { listExperiment } = await scene.data(LIST, { r });
      const { totalNoOfExperiments, experiments } = listExperiment as {
        totalNoOfExperiments: number;
        experiments: { name: string }[];
      };
      return [totalNoOfExperiments, experiments.map(({ name }) => name)];
    };
    const sort = { field: 'NAME', ascending: true };
    assert.deepEqual(await list({ sort }), [3, ['a-flow', 'b-cron', 'c-engine']]);
    assert.deepEqual(await list({ sort: { field: 'NAME' } }), [3, ['c-engine', 'b-cron', 'a-flow']]);
    await scene.server.plane.store.transaction('test', ({ db }) =>
      db.updateTable('experiments').set({ last_run_at: 7 }).where('name', '=', 'b-cron').execute(),
    );
    const byLastRun = (ascending: boolean) => ({ sort: { field: 'LAST_RUN', ascending } });
    assert.equal((await list(byLastRun(false)))[1][0], 'b-cron');
    assert.equal((await list(byLastRun(true)))[1][2], 'b-cron');
    assert.deepEqual(await list({ sort, pagination: { page: 1, limit: 2 } }), [3, ['c-engine']]);
    assert.deepEqual(await list({ experimentIDs: ['b-cron'] }), [1, ['b-cron']]);
    const filters: readonly [filter: object, names: string[]][] = [
      [{ experimentName: 'ENG' }, ['c-engine']],
      [{ scheduleType: 'CRON' }, ['b-cron']],
      [{ scheduleType: 'NON_CRON' }, ['a-flow', 'c-engine']],
      [{ scheduleType: 'ALL', status: 'All', infraName: 'clus' }, ['a-flow', 'b-cron', 'c-engine']],
      [{ infraActive: false }, []],
      [{ infraID: 'none' }, []],
      [{ status: 'Queued' }, ['a-flow']],
      [{ dateRange: { startDate: '0', endDate: '1' } }, []],
    ];
    await scene.run('a-flow');
    for (const [filter, names] of filters)
      assert.deepEqual(await list({ sort, filter }), [names.length, names]);

    assert.deepEqual((await scene.data(STATS)).getExperimentStats, {
      totalExperiments: 3,
      totalExpCategorizedByResiliencyScore: [
        { id: 0, count: 0 },
        { id: 40, count: 0 },
        { id: 80, count: 0 },
      ],
    });
  });

  test('deleteChaosExperiment removes an experiment with its runs, also in its cluster', async () => {
    const scene = await Scene.start(database);
    await scene.save('e1');
    const notifyID = await scene.run('e1');
    await scene.report({ experimentID: 'e1', runID: 'uid', notifyID });
    await scene.orders();
    assert.equal((await scene.data(REMOVE, { id: 'e1' })).deleteChaosExperiment, true);
    assert.deepEqual(await scene.orders(), [
      { type: 'workflow_delete', manifest: '', namespace: '', externalData: 'e1' },
    ]);
    assert.equal(await scene.refusal(REMOVE, { id: 'e1' }), 'chaos experiment already deleted: e1');
    assert.equal(await scene.refusal(GET, { id: 'e1' }), 'no experiment e1 in this project');
    const { data } = await scene.report({ experimentID: 'e1', runID: 'uid', notifyID, completed: true });
    assert.equal(
      data?.chaosExperimentRun,
      'no experiment found with experimentID: e1, experiment run discarded: uid',
    );
    const { getExperimentRunStats } = await scene.data(
      `query ($p: ID!) { getExperimentRunStats(projectID: $p) { totalExperimentRuns } }`,
    );
    assert.deepEqual(getExperimentRunStats, { totalExperimentRuns: 0 });
    await scene.save('e2');
  });

  test('a deleted experiment gives its id to a new one, which knows nothing of it', async () => {
    const scene = await Scene.start(database);
    await scene.save('e1', { name: 'shop' });
    const notifyID = await scene.run('e1');
    await scene.report({ experimentID: 'e1', runID: 'uid', notifyID, completed: true });
    await scene.data(REMOVE, { id: 'e1' });
    const said = await scene.data(
      'mutation ($p: ID!, $r: SaveChaosExperimentRequest!) { saveChaosExperiment(projectID: $p, request: $r) }',
      {
        r: {
          id: 'e1',
          name: 'shop',
          description: '',
          infraID: scene.agent.infraID,
          manifest: named('shop', workflowOf().object),
          tags: [],
        },
      },
    );
    assert.equal(said.saveChaosExperiment, 'experiment saved successfully with ID e1');
    const { listExperiment } = await scene.data(
      `query ($p: ID!) {
        listExperiment(projectID: $p, request: {}) {
          totalNoOfExperiments experiments { experimentID recentExperimentRunDetails { experimentRunID } }
        }
      }`,
    );
    assert.deepEqual(listExperiment, {
      totalNoOfExperiments: 1,
      experiments: [{ experimentID: 'e1', recentExperimentRunDetails: [] }],
    });
    const again = await scene.run('e1');
    assert.notEqual(again, notifyID);
    const { data } = await scene.report({
      experimentID: 'e1',
      runID: 'uid-2',
      notifyID: again,
      completed: true,
    });
    assert.match(String(data?.chaosExperimentRun), /uid-2/);
    const { getExperimentRunStats } = await scene.data(
      'query ($p: ID!) { getExperimentRunStats(projectID: $p) { totalExperimentRuns } }',
    );
    assert.deepEqual(getExperimentRunStats, { totalExperimentRuns: 1 });
    await scene.data(REMOVE, { id: 'e1' });
    await scene.save('e1', { name: 'shop' });
    assert.match(
      (await scene.refusal(CREATE, { r: request(scene, { experimentID: 'e1' }) })) ?? '',
      /exists already/,
    );
  });

  test('an engine without a workflow is deleted by its label, in its namespace', async () => {
    const scene = await Scene.start(database);
    await scene.save('e1', { manifest: JSON.stringify(standaloneOf('ChaosEngine').object) });
    await scene.data(REMOVE, { id: 'e1' });
    const [order] = await scene.orders();
    assert.deepEqual([order?.type, order?.namespace], ['delete', 'litmus']);
    assert.deepEqual(JSON.parse(order?.manifest ?? '').metadata, { labels: { workflow_id: 'e1' } });
  });
});

const RUN = `mutation ($p: ID!, $id: String!) { runChaosExperiment(projectID: $p, experimentID: $id) { notifyID } }`;
