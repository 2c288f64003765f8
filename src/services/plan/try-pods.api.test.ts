import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { ApiError } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { NAMESPACES, PODS, type Resource, SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import { startApi } from '@turnsole/kube/testing/api';
import type { ChaosEngine, ChaosExperiment } from '../../api/index.ts';
import type { Fault } from '../../experiment/injection/fault.ts';
import type { ExperimentPlan } from '../../experiment/plan/experiment-plan.ts';
import { faultRegistry } from '../../faults/index.ts';
import { chaosExperiment } from '../install/fault-objects.ts';
import { compileInstallSettings } from '../install/settings.ts';
import type { InstalledOperator } from './installed-operator.ts';
import { podAnswer, refusalText } from './pod-refusal.ts';
import { experimentTrials, runnerTrial, type TrialPod } from './trial-pods.ts';
import { tryPods } from './try-pods.ts';

const IMAGE = 'turnsole/turnsole:1.2.3';
const OPERATOR: InstalledOperator = {
  ownImage: { name: IMAGE },
  runnerImage: IMAGE,
  knownImages: [IMAGE],
  isRunning: true,
};
const QUOTAS: Resource = {
  ...{ group: '', version: 'v1', plural: 'resourcequotas', kind: 'ResourceQuota', namespaced: true },
};

async function shop(client: KubeClient): Promise<void> {
  await client.create(NAMESPACES, { metadata: { name: 'shop' } });
  for (const name of ['default', 'chaos-sa']) {
    await client.create(SERVICE_ACCOUNTS, { metadata: { name } }, { namespace: 'shop' });
  }
}

/** The pods of a run of one fault on a pod of node n1. */
function trialsOf(fault: Fault): TrialPod[] {
  const { settings } = compileInstallSettings({}, { version: '1.2.3', faults: [] });
  const experiment = chaosExperiment(fault, 'shop', settings) as unknown as ChaosExperiment;
  const entry = { name: fault.name };
  const engine: ChaosEngine = {
    metadata: { name: 'web-chaos', namespace: 'shop' },
    spec: { chaosServiceAccount: 'chaos-sa', experiments: [entry] },
  };
  const target = { kind: 'pod', namespace: 'shop', name: 'web-1', container: 'web', node: 'n1' };
  // What the pods depend on.
  const plan = { targets: [target] } as unknown as ExperimentPlan;
  return [
    runnerTrial(engine, experiment, OPERATOR),
    ...experimentTrials({ engine, experiment, entry, plan, fault, operator: OPERATOR }),
  ];
}

/** Faults whose helpers act in the namespaces of others. */
const PRIVILEGED = [
  'container-kill',
  'disk-fill',
  'docker-service-kill',
  'kubelet-service-kill',
  'pod-cpu-hog',
  'pod-dns-error',
  'pod-dns-spoof',
  'pod-http-latency',
  'pod-http-modify-body',
  'pod-http-modify-header',
  'pod-http-reset-peer',
  'pod-http-status-code',
  'pod-io-stress',
  'pod-memory-hog',
  'pod-network-corruption',
  'pod-network-duplication',
  'pod-network-latency',
  'pod-network-loss',
  'pod-network-rate-limit',
];

const loaded = await Promise.all([...faultRegistry.values()].map((load) => load()));

test('the pods of every fault are pods that an API server takes, and nothing of them is stored', async () => {
  await using api = await startApi(createApiServer);
  await shop(api.client);
  const options = { clients: [api.client], namespace: 'shop', signal: AbortSignal.timeout(60_000) };
  for (const fault of loaded) {
    const trials = trialsOf(fault);
    const kinds = trials.map(({ of }) => of);
    assert.deepEqual(
      kinds,
      ['runner', 'experiment', ...(fault.where === 'node' ? ['helper'] : [])],
      fault.name,
    );
    assert.deepEqual(await tryPods(trials, options), { refused: [], notSeen: [] }, fault.name);
  }
  assert.deepEqual((await api.client.list<Pod>(PODS)).items, []);
});

test('a quota that has no room for a run is found beforehand', async () => {
  await using api = await startApi(createApiServer);
  await shop(api.client);
  await api.client.create(QUOTAS, { metadata: { name: 'none' }, spec: { hard: { pods: '0' } } } as never, {
    namespace: 'shop',
  });
  const fault = loaded.find(({ name }) => name === 'pod-delete');
  assert.ok(fault !== undefined);
  const options = { clients: [api.client], namespace: 'shop', signal: AbortSignal.timeout(60_000) };
  const { refused, notSeen } = await tryPods(trialsOf(fault), options);
  assert.deepEqual(notSeen, []);
  assert.equal(refused.length, 2);
  assert.match(
    refused[0]?.message ?? '',
    /^the cluster would refuse the runner \(dry run\): pods "web-chaos-runner" is forbidden: exceeded quota: none, .*; raise the quota of namespace shop/,
  );
});

test('the faults whose helpers take more than Pod Security baseline allows, and those that take nothing', () => {
  const bare = loaded.filter((fault) =>
    trialsOf(fault).every(
      ({ pod: { spec } }) =>
        (spec?.containers ?? []).every(
          ({ securityContext }) =>
            securityContext?.runAsNonRoot === true &&
            securityContext.allowPrivilegeEscalation === false &&
            securityContext.capabilities?.drop?.includes('ALL') === true &&
            securityContext.seccompProfile?.type === 'RuntimeDefault',
        ) &&
        spec?.hostPID !== true &&
        !(spec?.volumes ?? []).some(({ hostPath }) => hostPath !== undefined),
    ),
  );
  const rest = loaded.filter((fault) => !bare.includes(fault)).map(({ name }) => name);
  assert.deepEqual(rest.sort(), PRIVILEGED);
});

test('in a restricted namespace these refuse their helpers alone, and the others nothing', async () => {
  await using api = await startApi(createApiServer);
  await shop(api.client);
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await api.client.patch(NAMESPACES, 'shop', 'merge', { metadata: { labels } });
  const options = { clients: [api.client], namespace: 'shop', signal: AbortSignal.timeout(60_000) };
  for (const fault of loaded) {
    const { refused, notSeen } = await tryPods(trialsOf(fault), options);
    assert.deepEqual(notSeen, []);
    const expected = PRIVILEGED.includes(fault.name) ? ['helper'] : [];
    assert.deepEqual(
      refused.map(({ trial }) => trial.of),
      expected,
      fault.name,
    );
    for (const { message } of refused) {
      assert.match(
        message,
        /violates PodSecurity "restricted:latest": .*; the fault acts by pods with hostPID, .*enforce=privileged/,
      );
    }
  }
});

const status = (code: number, message: string): ApiError => new ApiError('POST /pods', code, { message });
const VIOLATES = 'pods "a-plan" is forbidden: violates PodSecurity "baseline:latest": hostPID (hostPID=true)';

test('answers: what speaks of the pod, and what of the one who asks', () => {
  const table: readonly [string, unknown, string][] = [
    ['Pod Security', status(403, VIOLATES), 'refused by Pod Security'],
    [
      'a quota that is used up',
      status(403, 'pods "a" is forbidden: exceeded quota: q, requested: pods=1'),
      'refused by a quota',
    ],
    [
      'a quota that wants limits',
      status(403, 'pods "a" is forbidden: failed quota: q: must specify limits.cpu'),
      'refused by a quota',
    ],
    [
      'a limit range',
      status(403, 'pods "a" is forbidden: minimum cpu usage per Container is 1'),
      'refused by admission',
    ],
    [
      'a policy',
      status(
        422,
        "pods \"a\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no",
      ),
      'refused by admission',
    ],
    ['a webhook', status(400, 'admission webhook "w" denied the request: no'), 'refused by admission'],
    ['a webhook that is not asked', status(400, 'admission webhook "w" does not support dry run'), 'unknown'],
    [
      'no right',
      status(403, 'pods is forbidden: User "ann" cannot create resource "pods" in API group ""'),
      'may not',
    ],
    ['a conflict', status(409, 'pods "a" already exists'), 'unknown'],
    ['a server in trouble', status(500, 'etcdserver: leader changed'), 'unknown'],
    ['no answer', new Error('ECONNREFUSED'), 'unknown'],
  ];
  for (const [name, error, expected] of table) {
    const answer = podAnswer(error);
    assert.equal(answer.kind === 'refused' ? `refused by ${answer.by}` : answer.kind, expected, name);
  }
});

test('a helper that Pod Security refuses: what it needs, and how to allow it', () => {
  const answer = podAnswer(status(403, VIOLATES));
  assert.ok(answer.kind === 'refused');
  const fault = loaded.find(({ name }) => name === 'container-kill');
  const trial = fault && trialsOf(fault).find(({ of }) => of === 'helper');
  assert.ok(trial !== undefined);
  const text = refusalText(trial, 'shop', answer);
  assert.match(
    text,
    /^the cluster would refuse the helpers of container-kill \(dry run\): pods "a" is forbidden: violates/,
  );
  assert.match(
    text,
    /the fault acts by pods with hostPID, the user root, capabilities KILL: allow them \(kubectl label/,
  );
});
