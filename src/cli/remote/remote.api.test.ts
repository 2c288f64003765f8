import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { SHOP } from '../../controlplane/experiment/testing/scene.ts';
import { fillProject } from '../../controlplane/server/testing/full-project.ts';
import { otherDatabase } from '../../controlplane/store/testing/databases.ts';
import { RemoteScene } from './testing/remote-scene.ts';

const ID = /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
const TIME = /\b\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** What is listed of a full project: a heading and a row, with IDs and times by their names. */
const LISTS: Readonly<Record<string, readonly [heading: string, row: string]>> = {
  environment: ['ID NAME TYPE INFRAS', 'my-id mark PROD 0'],
  infra: ['NAME ENVIRONMENT SCOPE STATE VERSION ID', 'cluster test cluster connected 3.31.0 ID'],
  experiment: ['NAME TYPE INFRA LAST RUN SCORE ID', 'mark experiment cluster Stopped - my-id'],
  run: [
    'RUN EXPERIMENT INFRA OUTCOME SCORE FAULTS CHANGED',
    'run of my-id mark cluster Could not run - 0/1 TIME',
  ],
  probe: ['NAME TYPE EXECUTIONS CHANGED', 'my-id httpProbe 0 TIME'],
  hub: ['NAME STATE FAULTS EXPERIMENTS ADDRESS', 'mark away 0 0 http://127.0.0.1:1/mark'],
  audit: ['TIME WHO OPERATION OBJECT', 'TIME olga addProbe probe my-id'],
  project: ['NAME MEMBERS ID', 'project ID 1 ID'],
};

describe('turnsole remote', () => {
  const database = otherDatabase('sqlite', true);
  assert.ok(database !== undefined);

  test('lists everything that a project has', async () => {
    const remote = await RemoteScene.start(database);
    const { server, owner, project, agent } = remote.scene;
    await fillProject({ server, owner, project, agent }, 'my-id', 'mark');
    for (const [noun, [heading, row]] of Object.entries(LISTS)) {
      const text = await remote.printed([noun, 'list']);
      const lines = text.replace(ID, 'ID').replace(TIME, 'TIME').replace(/ +/g, ' ').split('\n');
      assert.equal(lines[0], heading);
      assert.ok(lines.includes(row), text);
    }
    const [probe] = JSON.parse(await remote.printed(['probe', 'list', '-o', 'json']));
    assert.equal(probe.type, 'httpProbe');
    assert.deepEqual(
      parse(await remote.printed(['environment', 'list', '--output', 'yaml'])).map(
        (row: { readonly name: string }) => row.name,
      ),
      ['mark'],
    );
  });

  test('makes projects, finds them by name and ID, and says which there are', async () => {
    const remote = await RemoteScene.start(database);
    const made = await remote.printed(['project', 'create', 'second']);
    assert.match(made, /^project second made \([0-9a-f-]{36}\)$/);
    assert.deepEqual(await remote.refused(['project', 'create', 'second']), [
      2,
      'URL: project with name:second already exists [REMOTE_REFUSED]',
    ]);
    const infras = (project: string, env = {}): Promise<string> =>
      remote.printed(['infra', 'list', '--project', project], { ...remote.as(), ...env });
    assert.equal((await infras('second')).split('\n').length, 1);
    assert.equal((await infras(remote.scene.project)).split('\n').length, 2);
    const named = await remote.printed(['infra', 'list'], { ...remote.as(), TURNSOLE_PROJECT: 'second' });
    assert.equal(named.split('\n').length, 1);
    assert.deepEqual(await remote.refused(['infra', 'list', '--project', 'none']), [
      2,
      `there is no project "none"; yours are: second, project ${remote.scene.project} [NOT_FOUND]`,
    ]);
  });

  test('tells those who may not', async () => {
    const remote = await RemoteScene.start(database);
    const { server, project } = remote.scene;
    const stranger = remote.as((await server.user('fred')).token);
    for (const [args, message] of [
      [['infra', 'list'], 'you are in no project: "turnsole remote project create NAME" [NOT_FOUND]'],
      [
        ['infra', 'list', '--project', project],
        `there is no project "${project}"; yours are: none [NOT_FOUND]`,
      ],
      [['user', 'list'], 'URL: permission_denied: only administrators may do this [REMOTE_REFUSED]'],
    ] as const) {
      assert.deepEqual(await remote.refused(args, stranger), [2, message]);
    }
    const admin = remote.as((await server.user('root', 'admin')).token);
    const users = await remote.printed(['user', 'list'], admin);
    assert.match(users, /^USERNAME +ROLE +NAME +EMAIL +STATE\n/);
    assert.match(users, /^root +admin +root +active$/m);
    assert.match(users, /^fred +user +fred +active$/m);
  });

  test('halts all chaos of the project, and allows it again', async () => {
    const remote = await RemoteScene.start(database);
    const row = async (args: readonly string[]): Promise<string | undefined> =>
      (await remote.printed(args)).split('\n')[1]?.replace(/ +/g, ' ').trim();
    assert.equal(await row(['halts']), undefined);
    const halted = 'cluster halted connected WAITING 0 0 a quiet weekend';
    assert.equal(await row(['halt', '--reason', 'a quiet weekend']), halted);
    assert.equal(await row(['halts']), halted);
    await remote.printed(['experiment', 'save', remote.file('shop.json', SHOP), '--infra', 'cluster']);
    const [code, held] = await remote.refused(['experiment', 'run', 'shop', '--wait']);
    assert.equal(code, 3);
    assert.match(
      held,
      /^URL: nothing was started: olga has halted chaos on cluster since \S+Z: a quiet weekend; an Owner resumes it \(.*"turnsole remote resume"\), when that is meant \[CHAOS_HALTED\]$/,
    );
    assert.equal(await row(['resume']), 'cluster allowed connected WAITING 0 0');
    const [shown] = JSON.parse(await remote.printed(['halts', '-o', 'json']));
    assert.equal(shown.isHalted, false);
  });
});
