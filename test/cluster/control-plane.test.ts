/** A control plane in the cluster, as its user has it: installed, signed in to, connected to its own cluster, used, and restarted. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { waitForList } from '@turnsole/kube/runtime/wait';
import { stringify } from 'yaml';
import { CHAOS_ENGINES } from '../../src/api/index.ts';
import { RemoteClient } from '../../src/cli/remote/remote-client.ts';
import { CONTROL_PLANE_NAME } from '../../src/services/install/names.ts';
import { type CommandOutcome, turnsole } from '../support/turnsole.ts';
import { installArguments } from './support/installation.ts';
import { type PortForward, portForward } from './support/port-forward.ts';
import { isNodeHere, noCluster } from './support/settings.ts';
import { type App, Shop } from './support/shop.ts';
import { makesVolumes, makeVolume } from './support/volume.ts';

const exec = promisify(execFile);

const RUNS = `query ($p: ID!) { listExperimentRun(projectID: $p, request: {}) {
  experimentRuns { experimentName phase resiliencyScore faultsPassed totalFaults executionData } } }`;

interface Run {
  readonly experimentName: string;
  readonly phase: string;
  readonly resiliencyScore: number;
  readonly faultsPassed: number;
  readonly totalFaults: number;
  readonly executionData: string;
}

describe('a control plane in the cluster', { skip: noCluster }, () => {
  let shop: Shop;
  let app: App;
  let home: string;
  let forwarded: PortForward;
  /** As the log of the first start has it. */
  let password: string;
  let project: string;

  before(async () => {
    shop = await Shop.open();
    home = await mkdtemp(join(tmpdir(), 'turnsole-control-plane-'));
    app = await shop.app();
  });
  after(async () => {
    await forwarded?.[Symbol.asyncDispose]();
    await shop?.removeApp(app);
    shop?.close();
    await rm(home, { recursive: true, force: true });
  });

  function install(...more: string[]): Promise<CommandOutcome> {
    // Engines of the server are in the agent's namespace, and so are the faults that they name.
    const wanted = ['--control-plane', '--fault-namespace', shop.settings.namespace];
    return shop.turnsole(...installArguments(shop.settings), ...wanted, ...more);
  }

  /** A client of the control plane: its sign-in is kept in the home of this test. */
  function remote(...args: string[]): Promise<CommandOutcome> {
    return turnsole(args, {
      XDG_CONFIG_HOME: home,
      TURNSOLE_PASSWORD: password,
      TURNSOLE_SERVER: forwarded.url,
    });
  }

  function connect(namespace = shop.settings.namespace): Promise<CommandOutcome> {
    const { kubeconfig } = shop.settings;
    return remote('connect', '--kubeconfig', kubeconfig, '--namespace', namespace, '--name', 'here');
  }

  async function reach(): Promise<void> {
    await forwarded?.[Symbol.asyncDispose]();
    const { kubeconfig, namespace } = shop.settings;
    forwarded = await portForward(kubeconfig, { namespace, service: CONTROL_PLANE_NAME, port: 9002 });
  }

  async function signedIn(): Promise<RemoteClient> {
    const { accessToken, projectID } = await new RemoteClient({ url: forwarded.url }).rest<{
      accessToken: string;
      projectID: string;
    }>('POST', '/login', { username: 'admin', password });
    project = projectID;
    return new RemoteClient({ url: forwarded.url, token: accessToken });
  }

  async function runs(): Promise<readonly Run[]> {
    const client = await signedIn();
    const { listExperimentRun } = await client.graphql<{
      listExperimentRun: { experimentRuns: readonly Run[] };
    }>(RUNS, { p: project });
    return listExperimentRun.experimentRuns;
  }

  async function serverPod(isWanted: (pod: Pod) => boolean): Promise<Pod | undefined> {
    const found = await waitForList<Pod>(shop.client, PODS, (pods) => pods.some(isWanted), {
      ...shop.limited,
      namespace: shop.settings.namespace,
      labelSelector: 'app.kubernetes.io/component=server',
    });
    return found.find(isWanted);
  }

  it('says what it waits for where nothing makes a volume', async (test) => {
    if (await makesVolumes(shop.client)) return test.skip('this cluster makes volumes for claims');
    if (!(await isNodeHere(shop.client))) {
      throw new Error(
        'this cluster has no default storage class, and the suite cannot make a volume on its nodes',
      );
    }
    const { code, stderr } = await install('--timeout', '3s');
    assert.equal(code, 3, stderr);
    assert.match(stderr, /turnsole-control-plane was not ready after 3 s/);
    assert.match(stderr, /finds no node: .*unbound.* PersistentVolumeClaims/);
    assert.match(stderr, /--control-plane-database-secret/);
    await makeVolume(shop.client, shop.settings);
  });

  it('is ready, and its log has the first password', async () => {
    const { code, stdout, stderr } = await install();
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /Deployment \S+\/turnsole-control-plane ready/);
    // The command that it has printed.
    const logs = /kubectl (--namespace \S+ logs deployment\/\S+)/.exec(stdout)?.[1];
    assert.ok(logs !== undefined, stdout);
    const log = await exec('kubectl', ['--kubeconfig', shop.settings.kubeconfig, ...logs.split(' ')]);
    password = /^ {2}password {2}(\S+)$/m.exec(log.stdout)?.[1] ?? '';
    assert.ok(password !== '', log.stdout);
    await reach();
  });

  it('signs the first administrator in, and connects the cluster that it is in', async () => {
    const login = await remote('remote', 'login', forwarded.url);
    assert.equal(login.code, 0, login.stdout + login.stderr);
    const second = await connect('elsewhere');
    assert.equal(second.code, 3, second.stdout + second.stderr);
    assert.match(second.stderr, /another operator acts on the same engines: \S+\/turnsole-operator/);
    const connected = await connect();
    assert.equal(connected.code, 0, connected.stdout + connected.stderr);
    assert.match(connected.stdout, /^agent connected, version /m);
  });

  it('is installed again without taking the workflow controller from its agent', async () => {
    const { code, stdout, stderr } = await install();
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /^the workflow controller keeps the instance id /m);
    assert.doesNotMatch(stdout, /^Secret \S+: the key was made/m);
  });

  it('runs an experiment, and has its verdict and score', async () => {
    const file = join(home, 'chaos.yaml');
    const env = [
      { name: 'TOTAL_CHAOS_DURATION', value: '3' },
      { name: 'CHAOS_INTERVAL', value: '3' },
    ];
    const engine = {
      apiVersion: `${CHAOS_ENGINES.group}/${CHAOS_ENGINES.version}`,
      kind: 'ChaosEngine',
      metadata: { name: 'from-the-server', namespace: shop.settings.namespace },
      spec: {
        engineState: 'active',
        appinfo: { appns: shop.namespace, applabel: app.label, appkind: 'deployment' },
        chaosServiceAccount: 'litmus-admin',
        experiments: [{ name: 'pod-delete', spec: { components: { env } } }],
      },
    };
    await writeFile(file, stringify(engine));
    const before = (await shop.podsOf(app)).map(({ metadata }) => metadata.uid);
    const saved = await remote('remote', 'experiment', 'save', file, '--infra', 'here');
    assert.equal(saved.code, 0, saved.stdout + saved.stderr);
    const run = await remote('remote', 'experiment', 'run', 'from-the-server', '--wait', '--timeout', '2m');
    assert.equal(run.code, 0, run.stdout + run.stderr);
    const [found] = await runs();
    assert.deepEqual(
      [found?.phase, found?.resiliencyScore, found?.faultsPassed, found?.totalFaults],
      ['Completed', 100, 1, 1],
    );
    assert.match(found?.executionData ?? '', /"(faultVerdict|experimentVerdict)":"Pass"/);
    const now = new Set((await shop.podsOf(app)).map(({ metadata }) => metadata.uid));
    assert.ok(
      before.some((uid) => !now.has(uid)),
      'no pod of the application was deleted',
    );
  });

  it('keeps everything when its pod is deleted, and its agent comes back', async () => {
    const before = await runs();
    assert.equal(before.length, 1);
    const old = await serverPod(() => true);
    await shop.client.delete(PODS, old?.metadata.name ?? '', shop.settings);
    await serverPod(
      ({ metadata, status }) =>
        metadata.uid !== old?.metadata.uid &&
        status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true,
    );
    await reach();
    assert.deepEqual(await runs(), before);
    // Through another port it is another server to the client.
    const login = await remote('remote', 'login', forwarded.url);
    assert.equal(login.code, 0, login.stdout + login.stderr);
    const connected = await connect();
    assert.equal(connected.code, 0, connected.stdout + connected.stderr);
    assert.match(connected.stdout, /^infrastructure here is known/m);
    assert.match(connected.stdout, /^agent connected, version /m);
  });
});
