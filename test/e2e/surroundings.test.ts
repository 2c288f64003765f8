import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { RunReport } from '../../src/services/report/model.ts';
import { chaosAccount, documents, engine, experiment, webApp } from '../support/manifests.ts';
import { TurnsoleProcess, temporaryFolder, turnsole } from '../support/turnsole.ts';

const APP = [webApp(), chaosAccount(), experiment('pod-delete')];
const ENDLESS = engine({
  experiments: [{ name: 'pod-delete', env: { TOTAL_CHAOS_DURATION: '600', CHAOS_INTERVAL: '600' } }],
});

/** A folder with `chaos.yaml` in it. */
async function folderWith(...texts: readonly string[]) {
  const folder = await temporaryFolder();
  const file = join(folder.path, 'chaos.yaml');
  await writeFile(file, documents(...texts));
  return { ...folder, file };
}

function kubeconfigFor(server: string): string {
  return `
apiVersion: v1
kind: Config
clusters: [{ name: there, cluster: { server: '${server}' } }]
users: [{ name: me, user: {} }]
contexts: [{ name: mine, context: { cluster: there, user: me } }]
current-context: mine
`;
}

/** A TCP port that nobody else gets while the scope lasts. */
async function heldPort(): Promise<{ port: number } & AsyncDisposable> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

describe('turnsole says plainly what is wrong around it', { concurrency: 2 }, () => {
  it('a server that is not running', async () => {
    await using folder = await folderWith(engine());
    const kubeconfig = join(folder.path, 'kubeconfig');
    // Nobody listens on port 1, and nobody without privileges can.
    await writeFile(kubeconfig, kubeconfigFor('http://127.0.0.1:1'));
    const { code, stderr } = await turnsole(['run', folder.file, '--kubeconfig', kubeconfig]);
    assert.equal(code, 3, stderr);
    assert.match(stderr, /cannot use the cluster: .*127\.0\.0\.1:1: .*ECONNREFUSED/);
  });

  it('a context that does not exist', async () => {
    await using folder = await folderWith(engine());
    const kubeconfig = join(folder.path, 'kubeconfig');
    await writeFile(kubeconfig, kubeconfigFor('http://127.0.0.1:1'));
    const args = ['run', folder.file, '--kubeconfig', kubeconfig, '--context', 'other'];
    const { code, stderr } = await turnsole(args);
    assert.equal(code, 3, stderr);
    assert.match(stderr, /there is no context "other"; choose one of mine/);
  });

  it('folders that it does not read, and a KUBECONFIG that it does not use', async () => {
    await using folder = await folderWith('');
    await mkdir(join(folder.path, 'below'));
    await writeFile(join(folder.path, 'below', 'engine.yaml'), engine());
    const kubeconfig = join(folder.path, 'absent');
    const shallow = await turnsole(['plan', folder.path], { KUBECONFIG: kubeconfig });
    assert.match(shallow.stderr, /not read: \S+\/below; --recursive reads/);
    assert.match(shallow.stderr, /the cluster of KUBECONFIG is not used.*--kubeconfig "\$KUBECONFIG"/);
    assert.match(shallow.stderr, /no Kubernetes object found/);
    const whole = await turnsole(['plan', folder.path, '-R']);
    assert.doesNotMatch(whole.stderr, /not read|KUBECONFIG/);
    assert.match(whole.stdout, /^ChaosEngine default\/web-chaos/);
  });

  it('a port that is in use', async () => {
    await using held = await heldPort();
    await using folder = await temporaryFolder();
    const env = { XDG_STATE_HOME: folder.path };
    const { code, stderr } = await turnsole(['up', '--port', String(held.port)], env);
    assert.equal(code, 3, stderr);
    assert.match(stderr, new RegExp(`port ${held.port} is in use`));
  });

  it('a state folder that cannot be made', async () => {
    await using folder = await folderWith();
    const { code, stderr } = await turnsole(['up', '--detach'], { XDG_STATE_HOME: folder.file });
    assert.equal(code, 3, stderr);
    assert.match(stderr, /cannot remember clusters in .*: ENOTDIR.*set XDG_STATE_HOME/);
  });

  it('a folder without manifests, and a file that cannot be read', async () => {
    await using folder = await folderWith(engine());
    const empty = join(folder.path, 'empty');
    await mkdir(empty);
    const nothing = await turnsole(['run', empty]);
    assert.equal(nothing.code, 2, nothing.stderr);
    assert.match(nothing.stderr, /empty: the folder holds no \.yaml/);
    // Root reads everything.
    if (process.getuid?.() === 0) return;
    await chmod(folder.file, 0);
    const unreadable = await turnsole(['run', folder.file]);
    assert.equal(unreadable.code, 2, unreadable.stderr);
    assert.match(unreadable.stderr, /chaos\.yaml: permission denied/);
  });

  it('an engine that stands twice in the files', async () => {
    await using folder = await folderWith(...APP, engine(), engine());
    const { code, stderr } = await turnsole(['run', folder.file]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /chaos\.yaml:\d+: ChaosEngine web-chaos: metadata\.name: .*chaos\.yaml:\d+ already/);
  });

  it('a report that cannot be written, before anything is run', async () => {
    await using folder = await folderWith(...APP, engine());
    const json = join(folder.path, 'none', 'report.json');
    const { code, stdout, stderr } = await turnsole([
      'run',
      folder.file,
      '--json',
      json,
      '--junit',
      folder.path,
    ]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /none\/report\.json: the report cannot be written: ENOENT/);
    assert.match(stderr, /is a folder/);
    assert.equal(stdout, '');
  });

  it('a full disk, which does not cost the verdict', { skip: !existsSync('/dev/full') }, async () => {
    await using folder = await folderWith(...APP, engine());
    const { code, stdout, stderr } = await turnsole(['run', folder.file, '--json', '/dev/full']);
    assert.equal(code, 3, stderr);
    assert.match(stdout, /default\/web-chaos\s+pod-delete\s+Pass/);
    assert.match(stderr, /cannot write the report \/dev\/full: .*no space left/);
  });

  it('an output that is closed early: the run is stopped and reverted', async () => {
    await using folder = await folderWith(...APP, ENDLESS);
    const json = join(folder.path, 'report.json');
    await using command = new TurnsoleProcess(['run', folder.file, '--json', json]);
    await command.line(/hit pod/);
    command.child.stdout?.destroy();
    // Whatever is printed next meets the closed pipe; this makes it print without waiting for the chaos to be over.
    const { code, stderr } = await command.stop('SIGTERM');
    assert.equal(code, 130, stderr);
    assert.doesNotMatch(stderr, /EPIPE|at .*\.ts/);
    const report = JSON.parse(await readFile(json, 'utf8')) as RunReport;
    assert.equal(report.engines[0]?.status, 'stopped');
  });
});
