/** What a project keeps, made and taken away by the command. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { startGitServer } from '../../controlplane/remote/testing/git-server.ts';
import { otherDatabase } from '../../controlplane/store/testing/databases.ts';
import { RemoteScene } from './testing/remote-scene.ts';

const PROBE = `
name: shop-answers
type: httpProbe
mode: Continuous
httpProbe/inputs: { url: "http://shop/", method: { get: { criteria: ==, responseCode: "200" } } }
runProperties: { probeTimeout: 2, interval: 1s, attempt: 1 }
`;

/** The cells of the rows of a table, without its heading. */
function rows(table: string): string[][] {
  return table
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ {2,}/));
}

describe('turnsole remote, what a project keeps', () => {
  const database = otherDatabase('sqlite', true);
  assert.ok(database !== undefined);

  test('webhooks: made, turned off and on, changed, tried, shown and deleted', async () => {
    const remote = await RemoteScene.start(database);
    const made = JSON.parse(
      await remote.printed(
        ['webhook', 'add', 'chat', '--format', 'slack', '--event', 'run-ended', 'halted', '-o', 'json'],
        { ...remote.as(), TURNSOLE_WEBHOOK_URL: 'http://127.0.0.1:1/secret' },
      ),
    );
    assert.match(made.secret, /^\S{20,}$/);
    const { webhookID: id } = made.webhook;
    const listed = async (): Promise<unknown> => rows(await remote.printed(['webhook', 'list']))[0];
    const row = ['chat', 'on', 'http://127.0.0.1:1', 'SLACK', 'RUN_ENDED,HALTED', id];
    assert.deepEqual(await listed(), row);
    assert.equal(await remote.printed(['webhook', 'disable', 'chat']), 'webhook chat gets no events');
    assert.deepEqual(await listed(), row.with(1, 'off'));
    assert.equal(await remote.printed(['webhook', 'enable', id]), `webhook ${id} gets events`);
    assert.match(await remote.printed(['webhook', 'show', 'chat']), /^enabled: +true$/m);
    assert.equal(
      await remote.printed(['webhook', 'change', 'chat', '--event', 'halted', '--format', 'teams']),
      'webhook chat changed',
    );
    assert.deepEqual(await listed(), row.with(3, 'TEAMS').with(4, 'HALTED'));
    const moved = { ...remote.as(), TURNSOLE_WEBHOOK_URL: 'http://127.0.0.1:2/secret' };
    await remote.printed(['webhook', 'change', 'chat', '--name', 'room'], moved);
    assert.deepEqual((await listed()) as string[], [
      'room',
      'on',
      'http://127.0.0.1:2',
      'TEAMS',
      'HALTED',
      id,
    ]);
    await remote.printed(['webhook', 'change', 'room', '--name', 'chat']);
    const [, nothing] = await remote.refused(['webhook', 'change', 'chat']);
    assert.match(nothing, /^nothing to change: give an address /);
    const tried = await remote.printed(['webhook', 'test', 'chat']);
    const [delivery] = JSON.parse(await remote.printed(['webhook', 'deliveries', 'chat', '-o', 'json']));
    assert.ok(tried.includes(delivery.deliveryID), tried);
    assert.equal(delivery.event, 'TEST');
    assert.match(await remote.printed(['webhook', 'deliveries']), / TEST +/);
    const [code, none] = await remote.refused(['webhook', 'show', 'chart']);
    assert.deepEqual([code, none], [2, 'there is no webhook "chart"; there are: chat [NOT_FOUND]']);
    const [, wrong] = await remote.refused(['webhook', 'add', 'x', 'ftp://x/']);
    assert.match(wrong, /^URL: .*url.* \[REMOTE_REFUSED\]$/i);
    const [, missing] = await remote.refused(['webhook', 'add', 'x']);
    assert.equal(missing, 'give the address as an argument, or in TURNSOLE_WEBHOOK_URL [OPTION_INVALID]');
    assert.equal(await remote.printed(['webhook', 'remove', 'chat']), 'webhook chat deleted');
    assert.equal(await listed(), undefined);
  });

  test('GitOps: enabled with a token, synchronised, moved to another branch, disabled', async () => {
    await using git = await startGitServer({ login: 'litmus:tok-1234' });
    const remote = await RemoteScene.start(database);
    await remote.scene.save('e1');
    assert.equal(await remote.printed(['gitops', 'show']), 'experiments of this project are not kept in Git');
    const token = { ...remote.as(), TURNSOLE_GIT_TOKEN: 'tok-1234' };
    assert.equal(
      await remote.printed(['gitops', 'enable', git.url], token),
      `experiments are kept in ${git.url}, branch main`,
    );
    const { stdout } = await remote.run(['gitops', 'sync'], remote.as());
    const commit = await git.git('rev-parse', 'main');
    assert.match(stdout, new RegExp(`^synchronised: \\S+Z, commit ${commit}$`, 'm'));
    const shown = JSON.parse(await remote.printed(['gitops', 'show', '-o', 'json']));
    assert.deepEqual([shown.branch, shown.authType, shown.problems], ['main', 'TOKEN', []]);
    await git.commit({ 'a.txt': 'a' }, { branch: 'other' });
    assert.match(
      await remote.printed(['gitops', 'enable', git.url, '--branch', 'other'], token),
      /, branch other$/m,
    );
    const [code, refused] = await remote.refused(['gitops', 'enable', git.url, '--branch', '..'], token);
    assert.equal(code, 2);
    assert.match(refused, /branch/);
    for (const [args, env, sentence] of [
      [['--username', 'a'], {}, '--username and TURNSOLE_GIT_PASSWORD belong together: give both'],
      [['--ssh-key', '/nowhere'], {}, /^--ssh-key \/nowhere: cannot be read: /],
      [['--ssh-key', '/nowhere'], { TURNSOLE_GIT_TOKEN: 'x' }, /are three ways: give one of them/],
    ] as const) {
      const [, said] = await remote.refused(['gitops', 'enable', git.url, ...args], {
        ...remote.as(),
        ...env,
      });
      assert.match(said, typeof sentence === 'string' ? new RegExp(`^${sentence}`) : sentence);
    }
    await remote.printed(['gitops', 'disable']);
    assert.equal(JSON.parse(await remote.printed(['gitops', 'show', '-o', 'json'])).enabled, false);
  });

  test('tokens: made, used, and worth nothing once removed', async () => {
    const remote = await RemoteScene.start(database);
    const token = (await remote.printed(['token', 'create', 'ci', '--days', '2'])).trim();
    assert.match(await remote.printed(['experiment', 'list'], remote.as(token)), /^NAME/);
    const [name, expires] = rows(await remote.printed(['token', 'list']))[0] ?? [];
    assert.equal(name, 'ci');
    const days = (Date.parse(expires ?? '') - Date.now()) / 86_400_000;
    assert.ok(days > 1.9 && days < 2.1, expires);
    assert.equal(await remote.printed(['token', 'remove', 'ci']), 'token ci removed');
    const [code] = await remote.refused(['experiment', 'list'], remote.as(token));
    assert.equal(code, 3);
    const [, none] = await remote.refused(['token', 'remove', 'ci']);
    assert.equal(none, 'there is no token "ci"; there are: none [NOT_FOUND]');
  });

  test('probes: saved from the form of an engine, changed, shown in it and deleted', async () => {
    const remote = await RemoteScene.start(database);
    const save = async (text: string): Promise<string> =>
      remote.printed(['probe', 'save', remote.file('probe.yaml', text)]);
    assert.equal(await save(PROBE), 'probe shop-answers saved');
    assert.equal(await save(PROBE.replace('1s', '3s')), 'probe shop-answers changed');
    const shown = parse(await remote.printed(['probe', 'show', 'shop-answers']));
    const { mode: _, ...wanted } = parse(PROBE);
    assert.deepEqual(shown, {
      ...wanted,
      runProperties: { ...wanted.runProperties, probeTimeout: '2s', interval: '3s' },
    });
    for (const [text, sentence] of [
      ['name: x', /type: a project keeps probes of the types httpProbe, /],
      ['type: httpProbe', /name: a probe needs one/],
      ['{ name: x, type: httpProbe }', /httpProbe\/inputs: a probe of the type httpProbe needs it/],
      [`${PROBE}tolerance: { failed: 1% }`, /tolerance: a project does not keep this field/],
      [`${PROBE}---${PROBE}`, /expected one probe/],
      [PROBE.replace('url:', 'uri:'), /uri/],
    ] as const) {
      const [code, said] = await remote.refused(['probe', 'save', remote.file('wrong.yaml', text)]);
      assert.equal(code, 2, said);
      assert.match(said, sentence);
    }
    assert.equal(await remote.printed(['probe', 'remove', 'shop-answers']), 'probe shop-answers deleted');
    assert.deepEqual(rows(await remote.printed(['probe', 'list'])), []);
  });

  test('hubs: added from a repository, read again, deleted', async () => {
    await using git = await startGitServer();
    await git.commit({ 'faults/kubernetes/a.txt': 'a' });
    const remote = await RemoteScene.start(database);
    assert.match(
      await remote.printed(['hub', 'add', 'mine', git.url]),
      /^hub mine added: 0 faults, 0 experiments$/m,
    );
    assert.match(await remote.printed(['hub', 'show', 'mine']), /^repoBranch: +main$/m);
    assert.match(await remote.printed(['hub', 'sync', 'mine']), /^hub mine read: 0 faults, 0 experiments$/m);
    const added = await remote.run(['hub', 'add', 'away', git.url, '--branch', 'none'], remote.as());
    assert.equal(added.code, 1);
    assert.match(
      added.stdout,
      /^hub away added, and not read yet: "turnsole remote hub sync away" says why$/m,
    );
    const [, why] = await remote.refused(['hub', 'sync', 'away']);
    assert.match(why, /none/);
    for (const name of ['mine', 'away']) await remote.printed(['hub', 'remove', name]);
    assert.doesNotMatch(await remote.printed(['hub', 'list']), /mine|away/);
  });

  test('infrastructures and environments: shown, made, deleted', async () => {
    const remote = await RemoteScene.start(database);
    assert.match(
      await remote.printed(['environment', 'create', 'live', '--type', 'prod']),
      /^environment live made/,
    );
    assert.match(await remote.printed(['environment', 'list']), / +live +PROD +0/);
    await remote.printed(['environment', 'remove', 'live']);
    assert.match(await remote.printed(['infra', 'show', 'cluster']), /^infraScope: +cluster$/m);
    assert.match(await remote.printed(['infra', 'manifest', 'cluster']), /kind: Deployment/);
    assert.match(await remote.printed(['infra', 'remove', 'cluster']), /^infrastructure cluster: /);
    assert.deepEqual(rows(await remote.printed(['infra', 'list'])), []);
  });
});
