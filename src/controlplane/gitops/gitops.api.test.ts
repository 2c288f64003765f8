import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { SHOP } from '../experiment/testing/scene.ts';
import { startGitServer } from '../remote/testing/git-server.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';
import { gitContext } from './git-context.ts';
import { syncProject } from './sync.ts';
import { syncDue } from './sync-due.ts';
import { ENABLE, GIT_CONFIG, type GitConfigAnswer, GitScene, SYNC } from './testing/git-scene.ts';

const DETAILS = `query ($p: ID!) { getGitOpsDetails(projectID: $p) { ${GIT_CONFIG} } }`;
const UPDATE = 'mutation ($p: ID!, $c: GitConfig!) { updateGitOps(projectID: $p, configurations: $c) }';
const DISABLE = 'mutation ($p: ID!) { disableGitOps(projectID: $p) }';
const DELETE = 'mutation ($p: ID!, $id: String!) { deleteChaosExperiment(projectID: $p, experimentID: $id) }';
const NOTIFY =
  'mutation ($i: InfraIdentity!, $id: ID!) { gitopsNotifier(clusterInfo: $i, experimentID: $id) }';

describeOnDatabases('GitOps', (database) => {
  test('enableGitOps marks the repository, and syncGitOps writes what the project has; getGitOpsDetails shows it', async () => {
    await using git = await startGitServer({ login: 'litmus:tok-1234' });
    const place = await GitScene.start(database, git);
    const { scene } = place;
    await scene.save('e1');
    assert.equal(((await scene.data(DETAILS)).getGitOpsDetails as GitConfigAnswer).enabled, false);
    await scene.data(ENABLE, { c: place.config({ authType: 'TOKEN', token: 'tok-1234' }) });
    const config = await place.sync();
    assert.deepEqual(
      [config.enabled, config.token, config.lastError, config.problems],
      [true, '********', null, []],
    );
    assert.equal(config.latestCommit, await git.git('rev-parse', 'main'));
    assert.deepEqual(await place.log(), [
      'olga@litmus-chaos: Updated Experiment : shop',
      'gitops@litmus-chaos: Setup Litmus Chaos GitOps for Project :PROJECT',
    ]);
    assert.deepEqual(await place.files(), ['.info', 'shop.yaml']);
    assert.deepEqual(JSON.parse(await place.file('.info')), { projectID: scene.project, revision: '1' });
    assert.match(await place.file('shop.yaml'), /workflow_id: e1/);
    const before = git.requests.length;
    const again = await place.sync();
    assert.equal(again.latestCommit, config.latestCommit, 'nothing is done when both sides are the same');
    assert.ok(!git.requests.slice(before).some((request) => request.includes('receive-pack')));
    assert.ok(git.requests.length - before <= 3, 'the repository is asked for its commit only');
    const stored = JSON.stringify(
      await scene.server.plane.store.read.selectFrom('gitops').selectAll().execute(),
    );
    const audited = JSON.stringify(
      await scene.server.plane.store.read.selectFrom('audit').selectAll().execute(),
    );
    assert.ok(!stored.includes('tok-1234') && !audited.includes('tok-1234'));
    assert.equal(
      await scene.refusal(ENABLE, { c: place.config() }),
      'GitOps is enabled for this project already; change it by updateGitOps',
    );
  });

  test('what is pushed becomes experiments and is run, from folders and files with several; each gets its id', async () => {
    await using git = await startGitServer();
    const place = await GitScene.start(database, git);
    await git.commit({ [place.path('old.yaml')]: place.document('old') });
    await place.enable();
    await place.sync();
    assert.deepEqual(Object.keys(await place.experiments()), ['old']);
    assert.deepEqual(await place.orders(), [], 'what was there before is not run');

    const two = `# both\n${place.document('b')}---\n${place.document('c')}`;
    await git.commit({
      [place.path('team/a.yaml')]: place.document('a'),
      [place.path('team/two.yml')]: two,
      'README.md': 'x',
    });
    const { problems } = await place.sync();
    assert.deepEqual(problems, []);
    const ids = await place.experiments();
    assert.deepEqual(Object.keys(ids), ['a', 'b', 'c', 'old']);
    assert.deepEqual(await place.orders(), ['create', 'create', 'create']);
    assert.equal((await place.log())[0], 'gitops@litmus-chaos: Updated New Experiments');
    const text = await place.file('team/two.yml');
    assert.match(text, /^# both\n/);
    for (const name of ['b', 'c']) assert.ok(text.includes(`workflow_id: ${ids[name]}`), name);
    const head = await git.git('rev-parse', 'main');
    await place.sync();
    assert.deepEqual([await git.git('rev-parse', 'main'), await place.orders()], [head, []]);
  });

  test('a change follows from either side; when both have changed, the repository’s wins and is reported', async () => {
    await using git = await startGitServer();
    const place = await GitScene.start(database, git);
    const { scene } = place;
    await scene.save('e1');
    await place.enable();
    await place.sync();
    const revisions = async (): Promise<number> =>
      (
        await scene.server.plane.store.read
          .selectFrom('revisions')
          .select('id')
          .where('project_id', '=', scene.project)
          .execute()
      ).length;

    const text = await place.file('shop.yaml');
    await git.commit({
      [place.path('shop.yaml')]: text.replace('labels:', 'annotations: { from: git }\n  labels:'),
    });
    await place.sync();
    assert.equal(await revisions(), 2);
    assert.deepEqual(await place.orders(), [], 'a changed workflow is not run');

    await scene.save('e1');
    await place.sync();
    assert.equal((await place.log())[0], 'olga@litmus-chaos: Updated Experiment : shop');
    assert.ok(!(await place.file('shop.yaml')).includes('from: git'));

    await git.commit({
      [place.path('shop.yaml')]: (await place.file('shop.yaml')).replace(
        'labels:',
        'annotations: { from: both }\n  labels:',
      ),
    });
    await scene.save('e1');
    const { problems } = await place.sync();
    assert.match(problems[0]?.message ?? '', /changed on both sides; the repository’s form holds/);
    assert.match(await place.file('shop.yaml'), /from: both/);
    assert.equal(await revisions(), 5, 'the other form is a revision');
    assert.deepEqual((await place.sync()).problems, []);
  });

  test('a deletion follows from either side, a moved file is the same experiment', async () => {
    await using git = await startGitServer();
    const place = await GitScene.start(database, git);
    const { scene } = place;
    await place.enable();
    await git.commit({
      [place.path('ab.yaml')]: `${place.document('a')}---\n${place.document('b')}`,
      [place.path('c.yaml')]: place.document('c'),
    });
    await place.sync();
    const ids = await place.experiments();
    await git.commit({
      [place.path('c.yaml')]: null,
      [place.path('dir/c.yaml')]: await place.file('c.yaml'),
    });
    await place.sync();
    assert.deepEqual(await place.experiments(), ids);

    await git.commit({ [place.path('dir/c.yaml')]: null });
    await scene.data(DELETE, { id: ids.a });
    await place.sync();
    assert.deepEqual(Object.keys(await place.experiments()), ['b']);
    assert.deepEqual(await place.files(), ['.info', 'ab.yaml']);
    assert.ok(!(await place.file('ab.yaml')).includes('name: a\n'));
    assert.match((await place.log())[0] ?? '', /Deleted Experiment : a$/);
  });

  test('in a repository that lost its mark nothing is deleted; a branch that is gone changes nothing', async () => {
    await using git = await startGitServer();
    const place = await GitScene.start(database, git);
    await place.scene.save('e1');
    await place.enable();
    await place.sync();
    await git.commit({ [place.path('shop.yaml')]: null, [place.path('.info')]: null });
    await place.sync();
    assert.deepEqual(await place.experiments(), { shop: 'e1' });
    assert.deepEqual(await place.files(), ['shop.yaml']);
    await git.git('update-ref', '-d', 'refs/heads/main');
    assert.match((await place.sync()).lastError ?? '', /no branch main any more; nothing was changed/);
    assert.deepEqual(await place.experiments(), { shop: 'e1' });
  });

  test('changes wait while an infrastructure is away, and a file that cannot be taken over is reported by name', async () => {
    await using git = await startGitServer();
    const place = await GitScene.start(database, git);
    await place.enable();
    await place.sync();
    await place.setAgent(0);
    await git.commit({
      [place.path('a.yaml')]: place.document('a'),
      [place.path('bad.yaml')]: 'kind: Workflow\nmetadata: [',
      [place.path('foreign.yaml')]: place.document('foreign', { infraID: 'none' }),
    });
    const { problems, lastError } = await place.sync();
    assert.equal(lastError, null);
    assert.deepEqual(
      problems.map(({ path, experimentName, message }) => [
        path.replace(place.path(''), ''),
        experimentName,
        message.split(':')[0],
      ]),
      [
        ['bad.yaml', '', 'this is no YAML'],
        ['a.yaml', 'a', 'experiment scheduling failed due to inactive infra'],
        ['foreign.yaml', 'foreign', 'failed to get infra details'],
      ],
    );
    await place.setAgent(1);
    assert.equal((await place.sync()).problems.length, 2);
    assert.deepEqual(Object.keys(await place.experiments()), ['a']);
    assert.deepEqual(await place.orders(), ['create']);
  });

  test('what was in the repository before is never run, however late it can be imported', async () => {
    await using git = await startGitServer();
    const place = await GitScene.start(database, git);
    await git.commit({
      [place.path('late.yaml')]: place.document('late'),
      [place.path('broken.yaml')]: `${place.document('beside')}---\nkind: [`,
    });
    await place.setAgent(0);
    await place.enable();
    assert.equal((await place.sync()).problems.length, 3);
    await git.commit({ [place.path('new.yaml')]: place.document('new') });
    await place.sync();
    await git.commit({ [place.path('broken.yaml')]: place.document('beside') });
    await place.setAgent(1);
    assert.deepEqual((await place.sync()).problems, []);
    assert.deepEqual(Object.keys(await place.experiments()), ['beside', 'late', 'new']);
    assert.deepEqual(await place.orders(), ['create'], 'only what was pushed afterwards runs');
  });

  test('a repository is followed by itself when its time has come or its project has changed', async () => {
    await using git = await startGitServer();
    const place = await GitScene.start(database, git);
    const { scene } = place;
    await place.enable();
    const { plane } = scene.server;
    const due = (): Promise<void> =>
      syncDue(gitContext(plane, scene.project, 'follow repositories', plane.signal));
    await due();
    const asked = git.requests.length;
    await due();
    assert.equal(git.requests.length, asked, 'it was looked at just before');
    await scene.save('e1');
    await due();
    assert.deepEqual(await place.files(), ['.info', 'shop.yaml']);
  });

  test('while a pass runs, all further calls get one and the same pass, which sees what they want', async () => {
    const held = Promise.withResolvers<ServerResponse>();
    let holds = false;
    await using git = await startGitServer({
      instead: (_request, response) => {
        if (!holds) return false;
        holds = false;
        held.resolve(response);
        return true;
      },
    });
    const place = await GitScene.start(database, git);
    const { scene } = place;
    await place.enable();
    holds = true;
    const running = syncProject(scene.server.plane, scene.project);
    const response = await held.promise;
    await scene.save('e1');
    const later = Array.from({ length: 20 }, () => syncProject(scene.server.plane, scene.project));
    assert.equal(new Set(later).size, 1);
    // The running pass fails; the one after it does not.
    response.writeHead(503).end();
    await Promise.all([running, ...later]);
    assert.deepEqual(await place.files(), ['.info', 'shop.yaml']);
    const { latestCommit } = await place.sync();
    assert.equal(latestCommit, await git.git('rev-parse', 'main'), 'later calls begin a pass again');
  });

  test('updateGitOps goes to another branch, disableGitOps leaves both sides as they are, and errors are reported', async () => {
    await using git = await startGitServer();
    const place = await GitScene.start(database, git);
    const { scene } = place;
    assert.equal(await scene.refusal(UPDATE, { c: place.config() }), 'GitOps Disabled ');
    assert.match(
      (await scene.refusal(ENABLE, { c: place.config({ repoURL: 'http://127.0.0.1:1/r' }) })) ?? '',
      /^Failed to setup GitOps : /,
    );
    assert.match(
      (await scene.refusal(ENABLE, { c: place.config({ repoURL: 'file:///etc' }) })) ?? '',
      /^Failed to setup GitOps : .* is no address/,
    );
    assert.match(
      (await scene.refusal(ENABLE, { c: place.config({ repoURL: 'http://127.0.0.2/r' }) })) ?? '',
      /is refused/,
    );
    assert.match(
      (await scene.refusal(ENABLE, { c: place.config({ branch: '--x' }) })) ?? '',
      /is no name of a branch/,
    );
    await scene.save('e1');
    await place.enable();
    await place.sync();
    await scene.data(UPDATE, { c: place.config({ branch: 'other' }) });
    await place.sync();
    assert.match(await git.git('ls-tree', '-r', '--name-only', 'other'), /shop\.yaml/);
    assert.equal((await scene.data(DISABLE)).disableGitOps, true);
    assert.equal(await scene.refusal(SYNC), 'GitOps Disabled ');
    assert.deepEqual(await place.experiments(), { shop: 'e1' });
    const { rows } = {
      rows: await scene.server.plane.store.read.selectFrom('gitops_files').selectAll().execute(),
    };
    assert.deepEqual(rows, []);
    const other = await scene.server.user('viewer');
    assert.equal(
      (await scene.server.graphql(DETAILS, { p: scene.project }, other)).errors[0]?.extensions?.code,
      'forbidden',
    );
  });

  test('updateGitOps keeps what a pass has stored meanwhile, and is refused after another update', async () => {
    let hold: { reached: PromiseWithResolvers<void>; release: PromiseWithResolvers<void> } | undefined;
    await using git = await startGitServer({
      before: async () => {
        const held = hold;
        hold = undefined;
        held?.reached.resolve();
        await held?.release.promise;
      },
    });
    const place = await GitScene.start(database, git);
    const { scene } = place;
    /** What an update answers in whose first request to the repository something else is done. */
    const during = async (config: object, meanwhile: () => Promise<unknown>): Promise<string | undefined> => {
      const held = { reached: Promise.withResolvers<void>(), release: Promise.withResolvers<void>() };
      hold = held;
      const updated = scene.refusal(UPDATE, { c: place.config(config) });
      await held.reached.promise;
      await meanwhile();
      held.release.resolve();
      return updated;
    };
    const details = async () => (await scene.data(DETAILS)).getGitOpsDetails as Record<string, unknown>;
    await scene.save('e1');
    await place.enable();
    let synced: string | null = null;
    const afterPass = await during({}, async () => {
      synced = (await place.sync()).latestCommit;
    });
    assert.equal(afterPass, undefined);
    assert.notEqual(synced, null);
    assert.equal((await details()).latestCommit, synced);

    const afterUpdate = await during({ branch: 'slow' }, () =>
      scene.data(UPDATE, { c: place.config({ branch: 'fast' }) }),
    );
    assert.equal(
      afterUpdate,
      'the repository of this project was changed meanwhile; look at it and try again',
    );
    assert.equal((await details()).branch, 'fast');
  });

  test('gitopsNotifier runs the experiment that a workload names, once GitOps is enabled', async () => {
    await using git = await startGitServer();
    const place = await GitScene.start(database, git);
    const { scene } = place;
    await scene.save('e1');
    const notify = async (id: string, agent = scene.agent): Promise<unknown> =>
      (await scene.server.graphql(NOTIFY, { i: agent, id })).data?.gitopsNotifier;
    assert.equal(await notify('e1'), 'GitOps Disabled');
    await place.enable();
    assert.equal(await notify('e1'), 'Request Acknowledged for experimentID: e1');
    const [order] = await scene.orders();
    assert.equal(order?.type, 'create');
    assert.match(order?.manifest ?? '', /"notify_id"/);
    const other = await scene.server.agent(scene.project, 'other');
    assert.equal(
      (await scene.server.graphql(NOTIFY, { i: other, id: 'e1' })).errors[0]?.message,
      'no such experiment found',
    );
    const wrong = { ...scene.agent, accessKey: 'wrong' };
    assert.equal(
      (await scene.server.graphql(NOTIFY, { i: wrong, id: 'e1' })).errors[0]?.extensions?.code,
      'unauthenticated',
    );
    const cron = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'CronWorkflow',
      metadata: { name: 'nightly' },
      spec: { schedule: '0 1 * * *', workflowSpec: JSON.parse(SHOP).spec },
    };
    await scene.save('e2', { name: 'nightly', manifest: JSON.stringify(cron) });
    await scene.orders();
    assert.equal(await notify('e2'), 'Request Acknowledged for experimentID: e2');
    assert.deepEqual(await place.orders(), [], 'a schedule runs by itself');
  });
});
