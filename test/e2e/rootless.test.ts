/** An ordinary user's cluster in namespaces of its own: what is root's elsewhere works there, and nothing of it is left however it ends. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod, PodSpec } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { until } from '@turnsole/kube/testing/until';
import type { PlanDocument } from '../../src/services/plan/plan-document.ts';
import type { RunReport } from '../../src/services/report/model.ts';
import { chaosAccount, documents, engine, experiment } from '../support/manifests.ts';
import { TurnsoleProcess, turnsole } from '../support/turnsole.ts';
import { cannotWithholdNamespaces, unprivilegedUser, whyNoPasta } from '../support/unprivileged.ts';
import { applyText } from '../support/up.ts';
import { userCluster, whyNotRootless } from '../support/user-cluster.ts';

const LIMIT_MS = 600_000;

/** Of the processes of a cluster, which has a user namespace to itself. */
function processesIn(userNamespace: string): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/ns/user`) === userNamespace;
    } catch {
      return false;
    }
  });
}

async function nothingIsLeft(userNamespace: string, runDir: string): Promise<void> {
  await until(
    () => processesIn(userNamespace).length === 0 && !existsSync(runDir),
    () => `left: processes ${processesIn(userNamespace).join(', ')}, folder ${runDir}: ${existsSync(runDir)}`,
  );
}

async function outputOf(
  client: KubeClient,
  name: string,
  script: string,
  more: Partial<PodSpec> = {},
): Promise<string> {
  const container = { name: 'main', image: 'busybox', command: ['sh', '-c', script] };
  await client.create<Pod>(
    PODS,
    { metadata: { name }, spec: { ...more, restartPolicy: 'Never', containers: [container] } },
    { namespace: 'default' },
  );
  const isOver = (pod?: Pod): boolean => /Succeeded|Failed/.test(pod?.status?.phase ?? '');
  await waitForObject<Pod>(client, PODS, name, isOver, { namespace: 'default', timeoutMs: LIMIT_MS });
  return client.log(name, { namespace: 'default' });
}

/** Sleeps in a session of its own, where no signal to the container's group reaches it. */
const LASTING = `
apiVersion: v1
kind: Pod
metadata: { name: lasting }
spec: { containers: [{ name: main, image: busybox, command: [sh, -c, 'setsid sleep 100000 & exec sleep 100000'] }] }
`;

/** Of each kind of what root does: processes, files, loads, packets, redirections. Each must be seen to have had an effect. */
const FAULTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'pod-delete': {},
  'container-kill': { CHAOS_INTERVAL: '60' },
  'pod-network-loss': { NETWORK_PACKET_LOSS_PERCENTAGE: '100', TOTAL_CHAOS_DURATION: '4' },
  'pod-network-latency': { NETWORK_LATENCY: '200', TOTAL_CHAOS_DURATION: '4' },
  'pod-network-partition': { TOTAL_CHAOS_DURATION: '4' },
  'pod-http-status-code': { TARGET_SERVICE_PORT: '8080', STATUS_CODE: '503', TOTAL_CHAOS_DURATION: '4' },
  'pod-http-latency': { TARGET_SERVICE_PORT: '8080', LATENCY: '300', TOTAL_CHAOS_DURATION: '4' },
  'pod-cpu-hog': { CPU_CORES: '1', TOTAL_CHAOS_DURATION: '4' },
  'pod-memory-hog': { MEMORY_CONSUMPTION: '50', NUMBER_OF_WORKERS: '1', TOTAL_CHAOS_DURATION: '4' },
  'disk-fill': { EPHEMERAL_STORAGE_MEBIBYTES: '8', TOTAL_CHAOS_DURATION: '4' },
};

const EVERYTHING = "  - { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }";

const skip = await whyNotRootless();

describe('an ordinary user’s cluster in namespaces of its own', { skip, concurrency: 2 }, () => {
  it('isolates pods as root’s does, and is reached from the machine', { timeout: LIMIT_MS }, async () => {
    await using cluster = await userCluster(['--nodes', '2']);
    const { client } = cluster;
    const said = await outputOf(
      client,
      'looks',
      'id -u; hostname; ls /sys/class/net; ls /proc | grep -c "^[0-9]"; echo mine > /etc/hostname; touch /new; ls /tmp',
    );
    const [uid, name, ...others] = said.trim().split('\n');
    assert.deepEqual([uid, name, others.slice(0, 2)], ['0', 'looks', ['eth0', 'lo']], said);
    assert.ok(Number(others[2]) < 10, `other processes are seen: ${said}`);
    assert.equal(others.length, 3, `/tmp is not the container's own: ${said}`);
    assert.ok(!existsSync('/new'));
    // Its network is not that of the machine.
    assert.notEqual(readlinkSync(`/proc/${cluster.insidePid}/ns/net`), readlinkSync('/proc/self/ns/net'));
  });

  it('a pod on the node’s network reaches what listens on the machine’s loopback, as root’s do, and others do not', {
    timeout: LIMIT_MS,
    skip: whyNoPasta(),
  }, async () => {
    const server = createServer((_, response) => response.end('of the machine')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      await using cluster = await userCluster([], await unprivilegedUser({ tunnel: true }));
      const { client } = cluster;
      const ask = `node -e 'fetch(process.argv[1]).then((answer) => answer.text()).then(console.log, (error) => console.log(error.cause.code))' http://127.0.0.1:${port}/`;
      assert.equal(await outputOf(client, 'own', ask), 'ECONNREFUSED\n');
      assert.equal(await outputOf(client, 'of-the-node', ask, { hostNetwork: true }), 'of the machine\n');
    } finally {
      server.close();
    }
  });

  it('commands run in a pod that shares all that it can with its node', { timeout: LIMIT_MS }, async () => {
    await using cluster = await userCluster();
    const { client } = cluster;
    const container = { name: 'main', image: 'busybox', command: ['sleep', '100000'] };
    const spec = { hostNetwork: true, hostPID: true, hostIPC: true, containers: [container] };
    await client.create<Pod>(PODS, { metadata: { name: 'shares' }, spec }, { namespace: 'default' });
    const isReady = (pod?: Pod): boolean => pod?.status?.containerStatuses?.[0]?.ready === true;
    const wait = { namespace: 'default', timeoutMs: LIMIT_MS };
    await waitForObject<Pod>(client, PODS, 'shares', isReady, wait);
    const place = {
      namespace: 'default',
      name: 'shares',
      container: 'main',
      signal: AbortSignal.timeout(LIMIT_MS),
    };
    const { stdout, stderr } = await client.exec({ ...place, command: ['readlink', '/proc/self/ns/net'] });
    assert.equal(stdout.trim(), readlinkSync(`/proc/${cluster.insidePid}/ns/net`), stderr);
  });

  it('faults that act on the inside of pods have their effect', { timeout: LIMIT_MS }, async () => {
    await using user = await unprivilegedUser();
    const file = join(user.folder, 'chaos.yaml');
    const json = join(user.folder, 'report.json');
    const names = Object.keys(FAULTS);
    const experiments = Object.entries(FAULTS).map(([name, env]) => ({ name, env }));
    await writeFile(
      file,
      documents(
        readFileSync('examples/quickstart/1-app.yaml', 'utf8'),
        chaosAccount(EVERYTHING),
        ...names.map(experiment),
        `${engine({ experiments })}  requireEffect: true\n`,
      ),
    );
    const { code, stdout, stderr } = await turnsole(['run', file, '--json', json], user.env, user.prefix);
    assert.match(stdout, /pods are isolated, as these faults or images need it/);
    const report = existsSync(json) ? (JSON.parse(readFileSync(json, 'utf8')) as RunReport) : undefined;
    const verdicts = report?.engines.flatMap((one) =>
      one.experiments.map((each) => `${each.name} ${each.verdict}`),
    );
    assert.deepEqual(
      verdicts,
      names.map((name) => `${name} Pass`),
      stdout + stderr,
    );
    assert.equal(code, 0, stderr);
  });

  it('with one id, what takes others is refused by name before anything runs', {
    timeout: LIMIT_MS,
  }, async () => {
    await using user = await unprivilegedUser();
    const file = join(user.folder, 'chaos.yaml');
    await writeFile(
      file,
      documents(
        readFileSync('examples/quickstart/1-app.yaml', 'utf8'),
        chaosAccount(EVERYTHING),
        experiment('pod-dns-error'),
        engine({ experiments: [{ name: 'pod-dns-error' }] }),
      ),
    );
    const args = ['plan', file, '-o', 'json'];
    const { code, stdout, stderr } = await turnsole(args, user.env, user.prefix);
    assert.equal(code, 3, stdout + stderr);
    const { engines } = JSON.parse(stdout) as PlanDocument;
    const [obstacle = ''] = engines[0]?.obstacles ?? [];
    assert.match(obstacle, /lacks CAP_SETGID; .*usermod --add-subuids/);
  });

  for (const whose of ['the command', 'its process inside', 'both'] as const) {
    it(`nothing is left after kill -9 of ${whose}`, { timeout: LIMIT_MS }, async () => {
      const { up, client, user, insidePid, runDir } = await userCluster();
      await using _ = user;
      await applyText(client, LASTING);
      const isRunning = (pod?: Pod): boolean => pod?.status?.phase === 'Running';
      await waitForObject<Pod>(client, PODS, 'lasting', isRunning, {
        namespace: 'default',
        timeoutMs: LIMIT_MS,
      });
      client.close();
      const userNamespace = readlinkSync(`/proc/${insidePid}/ns/user`);
      assert.ok(processesIn(userNamespace).length > 3);
      if (whose !== 'its process inside') up.child.kill('SIGKILL');
      if (whose !== 'the command') process.kill(insidePid, 'SIGKILL');
      const { code, stderr } = await up.ended;
      if (whose === 'its process inside') {
        assert.equal(code, 3);
        assert.match(stderr, /the process of the embedded cluster is gone: it ended with SIGKILL/);
      }
      await nothingIsLeft(userNamespace, runDir);
    });
  }

  it('a user without namespaces is told so, and goes on without where he does not ask for them', {
    timeout: LIMIT_MS,
    skip: cannotWithholdNamespaces,
  }, async () => {
    await using user = await unprivilegedUser({ namespaces: false });
    const full = await turnsole(['up', '--isolation', 'full'], user.env, user.prefix);
    assert.equal(full.code, 3, full.stdout);
    assert.match(
      full.stderr,
      /does not run as root, and this user cannot be root of namespaces of his own: unshare: .*not permitted/,
    );
    await using up = new TurnsoleProcess(['up'], user.env, user.prefix);
    await up.line(/^note: containers share the machine’s network, .*: the cluster does not run as root$/);
    const file = join(user.folder, 'chaos.yaml');
    await writeFile(
      file,
      documents(
        readFileSync('examples/quickstart/1-app.yaml', 'utf8'),
        chaosAccount(EVERYTHING),
        experiment('pod-network-loss'),
        engine({ experiments: [{ name: 'pod-network-loss' }] }),
      ),
    );
    const run = await turnsole(['run', file], user.env, user.prefix);
    assert.equal(run.code, 3, run.stdout);
    assert.match(run.stdout, /warning: .*this user cannot be root of namespaces of his own: unshare: /);
    assert.match(run.stderr, /cannot inject pod-network-loss: /);
    assert.doesNotMatch(run.stdout, /applied/);
  });
});
