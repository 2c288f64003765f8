/** On machines that do not have everything: what cannot work says so before anything starts, and the rest works. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createClient, loadKubeconfig } from '@turnsole/kube/client/index';
import type { CoreEvent, Pod } from '@turnsole/kube/kinds/core';
import { EVENTS, PODS } from '@turnsole/kube/kinds/resources';
import { waitForList, waitForObject } from '@turnsole/kube/runtime/wait';
import { CHAOS_ENGINES, CHAOS_RESULTS, type ChaosEngine, type ChaosResult } from '../../src/api/index.ts';
import { faultRegistry } from '../../src/faults/index.ts';
import type { PlanDocument } from '../../src/services/plan/plan-document.ts';
import type { RunReport } from '../../src/services/report/model.ts';
import { CURBED_ROOTS, type LesserMachine, TAKES, UNPRIVILEGED } from '../support/fault-rights.ts';
import { documents, engine, experiment, webApp, webProbe } from '../support/manifests.ts';
import { type CommandOutcome, temporaryFolder, turnsole } from '../support/turnsole.ts';
import {
  pathWithout,
  type Somebody,
  unprivilegedUser,
  whyNotUnprivileged,
  without,
} from '../support/unprivileged.ts';
import { applyText } from '../support/up.ts';

const LIMIT_MS = 180_000;

/** May everything, so that permissions are not what is missing. */
const ACCOUNT = `
apiVersion: v1
kind: ServiceAccount
metadata: { name: chaos-sa }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: chaos-sa }
subjects: [{ kind: ServiceAccount, name: chaos-sa, namespace: default }]
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin }
`;

/** What runs of some faults cannot do without. */
const ENV: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'disk-fill': { EPHEMERAL_STORAGE_MEBIBYTES: '8' },
  // One kill: the restart after a second one waits.
  'container-kill': { CHAOS_INTERVAL: '60' },
  'node-memory-hog': { MEMORY_CONSUMPTION_MEBIBYTES: '16' },
  'node-io-stress': { FILESYSTEM_UTILIZATION_BYTES: '1' },
  'node-taint': { TAINTS: 'chaos=test:PreferNoSchedule' },
  'pod-autoscaler': { REPLICA_COUNT: '2' },
  'pod-fio-stress': { SIZE: '1' },
  'redfish-node-restart': { IPMI_IP: '127.0.0.1', USER: 'somebody', PASSWORD: 'unknown' },
};

/** What acts on a cluster; faults of clouds take nothing of the machine, but an account there. */
const EVERY_FAULT: string[] = [];
for (const name of Object.keys(TAKES)) {
  if ((await faultRegistry.get(name)?.())?.targets !== 'resources') EVERY_FAULT.push(name);
}
/** The first of each kind: that the others of a kind take the same is shown by the unprivileged user, who is refused most. */
const ONE_OF_A_KIND = EVERY_FAULT.filter(
  (name, index) => EVERY_FAULT.findIndex((other) => TAKES[other] === TAKES[name]) === index,
);

/** An application, and an engine of its own for each fault. */
function manifests(faults: readonly string[], seconds: number): string {
  return documents(
    webApp(1),
    ACCOUNT,
    ...faults.flatMap((name) => {
      const env = { TOTAL_CHAOS_DURATION: String(seconds), FORCE: 'false', ...ENV[name] };
      return [experiment(name), engine({ name: `try-${name}`, experiments: [{ name, env }] })];
    }),
  );
}

async function planAll(
  file: string,
  env: NodeJS.ProcessEnv,
  prefix: readonly string[],
  isolation: 'auto' | 'none' = 'auto',
): Promise<PlanDocument> {
  const args = ['plan', file, '-o', 'json', '--isolation', isolation];
  const { code, stdout, stderr } = await turnsole(args, env, prefix);
  assert.equal(code, 3, stdout + stderr);
  const document = JSON.parse(stdout) as PlanDocument;
  assert.equal(document.exitCode, 3);
  return document;
}

/** Every fault that the machine refuses is refused by all of these words, and no other one is, but for want of a kernel's module. */
function judge({ engines }: PlanDocument, { refuses }: LesserMachine, faults: readonly string[]): void {
  for (const { name, obstacles } of engines) {
    const fault = name.replace(/^try-/, '');
    // Whether fio is installed is another matter.
    if (TAKES[fault] === 'fio') continue;
    const words = refuses[TAKES[fault] ?? 'nothing'];
    if (words === undefined) {
      assert.deepEqual(obstacles, [], `${fault} works there`);
      continue;
    }
    const [said = '', ...more] = obstacles;
    assert.deepEqual(more, []);
    assert.ok(said.startsWith(`cannot inject ${fault}: `), `${fault}: ${said}`);
    for (const word of words) assert.ok(said.includes(word), `${word} in: ${said}`);
    assert.match(said, /; start turnsole as root on Linux/);
  }
  assert.equal(engines.length, faults.length);
}

function assertRefused({ code, stdout, stderr }: CommandOutcome, ...words: readonly string[]): void {
  assert.equal(code, 3, stdout + stderr);
  for (const word of words) assert.ok(stderr.includes(word), `${word} in: ${stderr}`);
  assert.doesNotMatch(stdout, /applied|is ready|operator/, 'nothing was begun');
}

const skip = await whyNotUnprivileged();
const isRoot = process.getuid?.() === 0;

describe('an unprivileged user', { concurrency: 2, skip }, () => {
  async function asUser(
    work: (user: Somebody, file: string) => Promise<void>,
    faults: readonly string[],
    seconds = 2,
  ): Promise<void> {
    await using user = await unprivilegedUser();
    const file = join(user.folder, 'chaos.yaml');
    await writeFile(file, manifests(faults, seconds));
    await work(user, file);
  }

  it('finds in a plan, fault by fault and by name, what cannot work', { timeout: LIMIT_MS }, () =>
    asUser(
      async ({ env, prefix }, file) =>
        judge(await planAll(file, env, prefix, 'none'), UNPRIVILEGED, EVERY_FAULT),
      EVERY_FAULT,
    ),
  );

  it('is refused a run before anything is applied', { timeout: LIMIT_MS }, () =>
    asUser(
      async ({ env, prefix }, file) =>
        assertRefused(
          await turnsole(['run', file, '--isolation', 'none'], env, prefix),
          'cannot inject pod-network-loss: this process lacks CAP_NET_ADMIN',
          'cannot inject disk-fill: this process lacks CAP_SYS_PTRACE',
        ),
      ['pod-network-loss', 'pod-delete', 'disk-fill'],
    ),
  );

  // More of them are tested whole without root: test/faults.
  it('runs what needs no rights', { timeout: LIMIT_MS }, () => {
    const faults = ['container-kill', 'node-memory-hog', 'node-io-stress', 'pod-cpu-hog-exec'];
    return asUser(async ({ env, prefix, folder }, file) => {
      const json = join(folder, 'report.json');
      const { code, stdout, stderr } = await turnsole(['run', file, '--json', json], env, prefix);
      assert.equal(code, 0, stdout + stderr);
      const report = JSON.parse(await readFile(json, 'utf8')) as RunReport;
      assert.equal(report.engines.length, faults.length);
    }, faults);
  });

  it('probes a service on port 80', { timeout: LIMIT_MS }, async () => {
    await using user = await unprivilegedUser();
    const service = `
apiVersion: v1
kind: Service
metadata: { name: front }
spec: { selector: { app: web }, ports: [{ port: 80, targetPort: http }] }`;
    const name = 'pod-cpu-hog-exec';
    const env = { TOTAL_CHAOS_DURATION: '2' };
    const probes = webProbe('Edge').replace('http://web.default.svc:8080/', 'http://front.default.svc/');
    const file = join(user.folder, 'chaos.yaml');
    await writeFile(
      file,
      documents(
        webApp(1),
        service,
        ACCOUNT,
        experiment(name),
        engine({ experiments: [{ name, env, probes }] }),
      ),
    );
    const { code, stdout, stderr } = await turnsole(['run', file], user.env, user.prefix);
    assert.equal(code, 0, stdout + stderr);
  });

  it('loads a node by the built-in loader where there is no stress-ng', { timeout: LIMIT_MS }, () =>
    asUser(
      async ({ env, prefix, folder }, file) => {
        const PATH = await pathWithout(folder, ['stress-ng']);
        const { code, stdout, stderr } = await turnsole(['run', file], { ...env, PATH }, prefix);
        assert.equal(code, 0, stdout + stderr);
      },
      ['node-cpu-hog'],
    ),
  );

  it(
    'finds the reason in the engine, its Events and its result on a cluster that stays; no helper is tried again',
    {
      timeout: LIMIT_MS,
    },
    () =>
      asUser(
        async ({ env, prefix, folder }, file) => {
          const kubeconfig = join(folder, 'kubeconfig');
          const up = await turnsole(['up', '--detach', '--kubeconfig', kubeconfig], env, prefix);
          assert.equal(up.code, 0, up.stderr);
          try {
            // A run from elsewhere knows it from the nodes.
            const elsewhere = await turnsole(['run', file, '--kubeconfig', kubeconfig], env, prefix);
            assertRefused(elsewhere, 'cannot inject pod-http-latency: this process lacks CAP_NET_ADMIN');
            await assertReasonShown(kubeconfig);
          } finally {
            await turnsole(['down'], env, prefix);
          }
        },
        ['pod-http-latency'],
        5,
      ),
  );
});

/** Applies an engine as kubectl would, and looks at where users look. */
async function assertReasonShown(kubeconfig: string): Promise<void> {
  const fault = 'pod-http-latency';
  const client = createClient(await loadKubeconfig({ path: kubeconfig }));
  try {
    await applyText(client, manifests([fault], 5));
    const name = `try-${fault}`;
    const place = { namespace: 'default', timeoutMs: LIMIT_MS };
    const isOver = (seen: ChaosEngine | undefined): boolean => seen?.status?.engineStatus === 'completed';
    const ended = await waitForObject<ChaosEngine>(client, CHAOS_ENGINES, name, isOver, place);
    const [entry] = ended?.status?.experiments ?? [];
    assert.equal(entry?.verdict, 'Error');
    const words =
      /cannot inject pod-http-latency: this process lacks CAP_NET_ADMIN, CAP_SYS_ADMIN and CAP_SYS_PTRACE/;
    assert.match(entry.reason ?? '', words);
    const result = await client.get<ChaosResult>(CHAOS_RESULTS, `${name}-${fault}`, place);
    assert.match(result.status?.experimentStatus?.errorOutput?.reason ?? '', words);
    assert.deepEqual(result.status?.ledger ?? {}, {}, 'nothing was injected');
    const events = await waitForList<CoreEvent>(
      client,
      EVENTS,
      (all) => all.some(({ reason }) => reason === 'NodeUnfit'),
      place,
    );
    const event = events.find(({ reason }) => reason === 'NodeUnfit');
    assert.match(event?.message ?? '', words);
    assert.deepEqual([event?.involvedObject.kind, event?.involvedObject.name], ['ChaosEngine', name]);
    const pods = (await client.list<Pod>(PODS, { namespace: 'default' })).items;
    assert.equal(pods.filter((pod) => pod.metadata.name.includes('-helper-')).length, 1, 'one helper');
  } finally {
    client.close();
  }
}

describe('root that may not do everything', { concurrency: 2, skip: skip || !isRoot }, () => {
  for (const machine of CURBED_ROOTS) {
    it(machine.name, { timeout: LIMIT_MS }, async () => {
      await using folder = await temporaryFolder();
      const file = join(folder.path, 'chaos.yaml');
      await writeFile(file, manifests(ONE_OF_A_KIND, 2));
      const [capability = ''] = machine.lacks.capabilities;
      judge(await planAll(file, {}, without(capability)), machine, ONE_OF_A_KIND);
    });
  }
});

describe('a machine without programs', { concurrency: 2, skip }, () => {
  const CASES = [
    { fault: 'pod-network-loss', tool: 'tc', words: 'tc (package iproute2)' },
    { fault: 'pod-http-status-code', tool: 'nft', words: 'nft (package nftables)' },
  ];
  for (const { fault, tool, words } of CASES) {
    it(`says so: ${tool}`, { timeout: LIMIT_MS }, async () => {
      await using folder = await temporaryFolder();
      const file = join(folder.path, 'chaos.yaml');
      await writeFile(file, manifests([fault], 2));
      const PATH = await pathWithout(folder.path, [tool]);
      const outcome = await turnsole(['run', file, '--isolation', 'none'], { PATH });
      assertRefused(
        outcome,
        `cannot inject ${fault}: `,
        `not found in PATH: ${words}; install it on this machine`,
      );
    });
  }

  it('says so of programs that containers need, unless these have a PATH of their own', {
    timeout: LIMIT_MS,
  }, async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'chaos.yaml');
    const PATH = await pathWithout(folder.path, ['fio']);
    const text = manifests(['pod-fio-stress'], 2);
    const args = ['plan', file, '--isolation', 'none'];
    await writeFile(file, text);
    const refused = await turnsole(args, { PATH });
    assert.equal(refused.code, 3, refused.stderr);
    assert.match(
      refused.stdout,
      /cannot inject pod-fio-stress: not found in PATH, .* fio \(package fio\); install it/,
    );
    await writeFile(
      file,
      text.replace('env: [{ name: DRAIN_MS', `env: [{ name: PATH, value: '${PATH}' }, { name: DRAIN_MS`),
    );
    const unknown = await turnsole(args, { PATH });
    assert.equal(unknown.code, 0, unknown.stdout + unknown.stderr);
  });
});
