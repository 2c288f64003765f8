/** The whole event tracker against an API server and a control plane that speaks ChaosCenter's wire. */
import assert from 'node:assert/strict';
import type { ServerOptions } from 'node:https';
import { after, before, describe, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { findCondition } from '@turnsole/kube/kinds/conditions';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, CUSTOM_RESOURCE_DEFINITIONS, DEPLOYMENTS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import type { CustomResourceDefinition } from '@turnsole/kube/schema/definition';
import { startApi, type TestApi } from '@turnsole/kube/testing/api';
import { PATIENCE_MS, until } from '@turnsole/kube/testing/until';
import { makeAuthority, makeServerCertificate, toPem } from '@turnsole/kube/tls/index';
import { WORKFLOW_TEMPLATES, WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import {
  CHAOS_ENGINES,
  CHAOS_SCHEDULES,
  type ChaosEngine,
  EVENT_TRACKER_POLICIES,
  type EventTrackerPolicy,
  type EventTrackerPolicySpec,
  type PolicyTrigger,
} from '../../api/index.ts';
import { failed, type NotifiedReply, NotifiedServer, said } from './testing/notified-server.ts';
import {
  ACCESS_KEY,
  createPolicy,
  createShop,
  createWorkload,
  defineKinds,
  EXPERIMENT,
  INFRA_ID,
  setImage,
  startTracker,
} from './testing/tracked-shop.ts';

let api: TestApi;
before(async () => {
  api = await startApi(createApiServer);
  await defineKinds(api.client);
});
after(() => api[Symbol.asyncDispose]());

let number = 0;

interface Scene extends AsyncDisposable {
  readonly namespace: string;
  readonly server: NotifiedServer;
  readonly tracker: ReturnType<typeof startTracker>;
}

/** A policy, a workload that it knows, a server and a tracker. */
async function scene(spec: Partial<EventTrackerPolicySpec> = {}, tls?: ServerOptions): Promise<Scene> {
  const namespace = `shop-${++number}`;
  const server = await NotifiedServer.start(0, tls);
  await createShop(api.client, namespace, server.url);
  await createPolicy(api.client, namespace, 'policy', spec);
  await createWorkload(api.client, namespace, 'web');
  const tracker = startTracker({ config: api.server.adminConfig }, namespace);
  await untilPolicy(
    namespace,
    ({ status }) => 'Deployment/shop/web'.replace('shop', namespace) in (status?.tracked ?? {}),
  );
  return {
    ...{ namespace, server, tracker },
    [Symbol.asyncDispose]: async () => {
      await tracker[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function untilPolicy(
  namespace: string,
  isSo: (policy: EventTrackerPolicy) => boolean,
): Promise<EventTrackerPolicy> {
  const holds = (policy: EventTrackerPolicy | undefined): boolean => policy !== undefined && isSo(policy);
  const options = { namespace, timeoutMs: PATIENCE_MS };
  const policy = await waitForObject<EventTrackerPolicy>(
    api.client,
    EVENT_TRACKER_POLICIES,
    'policy',
    holds,
    options,
  );
  assert.ok(policy !== undefined);
  return policy;
}

/** Waits for the last trigger to be so. */
async function untilTrigger(
  namespace: string,
  isSo: (trigger: PolicyTrigger) => boolean,
): Promise<PolicyTrigger> {
  const lastOf = ({ status }: EventTrackerPolicy): PolicyTrigger | undefined => status?.triggers?.at(-1);
  const policy = await untilPolicy(namespace, (one) => {
    const trigger = lastOf(one);
    return trigger !== undefined && isSo(trigger);
  });
  const trigger = lastOf(policy);
  assert.ok(trigger !== undefined);
  return trigger;
}

const isSent = ({ state }: PolicyTrigger): boolean => state === 'Sent';

test('a change is reported to the control plane once, with an id, as variables, and is shown in both forms', async () => {
  await using it = await scene();
  await setImage(api.client, it.namespace, 'web', 'nginx:1');
  const trigger = await untilTrigger(it.namespace, isSent);
  assert.equal(it.server.received.length, 1);
  const [received] = it.server.received;
  assert.equal(received?.id, trigger.id);
  assert.equal(received?.experimentID, EXPERIMENT);
  assert.deepEqual(received?.clusterInfo, { infraID: INFRA_ID, version: '3.31.0', accessKey: ACCESS_KEY });
  assert.ok(!received?.query.includes(ACCESS_KEY) && !received?.query.includes(EXPERIMENT));
  assert.equal(trigger.message, `Request Acknowledged for experimentID: ${EXPERIMENT}`);
  const { statuses } = await untilPolicy(it.namespace, (one) => one.statuses?.[0]?.is_triggered === 'true');
  assert.equal(statuses?.length, 1);
  assert.equal(statuses?.[0]?.experiment_id, EXPERIMENT);
  assert.ok(!it.tracker.lines.join('').includes(ACCESS_KEY));
});

test('workloads that do not ask for it, and changes of other fields, trigger nothing', async () => {
  await using it = await scene();
  await createWorkload(api.client, it.namespace, 'silent', {});
  await createWorkload(api.client, it.namespace, 'old', {
    'litmuschaos.io/gitops': 'true',
    'litmuschaos.io/workflow': 'w',
  });
  for (const name of ['silent', 'old']) await setImage(api.client, it.namespace, name, 'nginx:1');
  await api.client.patch(DEPLOYMENTS, 'web', 'merge', { spec: { replicas: 3 } }, { namespace: it.namespace });
  // It comes after all of them, and is the only one.
  await setImage(api.client, it.namespace, 'web', 'nginx:1');
  await untilTrigger(it.namespace, isSent);
  assert.equal(it.server.received.length, 1);
});

test('a change while no tracker runs is found by the next one', async () => {
  await using it = await scene();
  assert.equal(await it.tracker.stop(), 0);
  await setImage(api.client, it.namespace, 'web', 'nginx:1');
  await using _next = startTracker({ config: api.server.adminConfig }, it.namespace, ['-leader-elect']);
  await untilTrigger(it.namespace, isSent);
  assert.equal(it.server.received.length, 1);
});

describe('a server that', () => {
  const QUIRKS: readonly (readonly [name: string, reply: NotifiedReply, message: RegExp])[] = [
    [
      'answers 200 with errors',
      failed('Cannot get Git Config from DB : x'),
      /the control plane answers: Cannot get Git/,
    ],
    ['has GitOps off', said('GitOps Disabled'), /GitOps is disabled for the project/],
    ['knows no such key', said('Validation failed'), /does not know INFRA_ID/],
    ['answers null', said(null), /has no gitopsNotifier/],
    ['answers HTML', { status: 200, body: '<html>Welcome' }, /no JSON.*Welcome/],
    ['answers 502', { status: 502, body: 'bad gateway' }, /HTTP 502/],
    ['answers half a body', 'half', /cannot reach/],
    ['cuts the connection', 'cut', /cannot reach/],
  ];
  for (const [name, reply, message] of QUIRKS) {
    test(`${name}: the trigger waits, says why, and is sent with the same id`, async () => {
      await using it = await scene();
      it.server.reply = () => reply;
      await setImage(api.client, it.namespace, 'web', 'nginx:1');
      const waiting = await untilTrigger(it.namespace, (one) => one.message !== undefined);
      assert.equal(waiting.state, 'Pending');
      assert.match(waiting.message ?? '', message);
      it.server.reply = () => said('Request Acknowledged');
      const sent = await untilTrigger(it.namespace, isSent);
      assert.deepEqual(it.server.actedOn, [sent.id]);
    });
  }

  test('knows no such experiment ends the trigger, and says so', async () => {
    await using it = await scene();
    it.server.reply = () => failed('no such experiment found');
    await setImage(api.client, it.namespace, 'web', 'nginx:1');
    const trigger = await untilTrigger(it.namespace, ({ state }) => state === 'Refused');
    assert.equal(trigger.message, 'no such experiment found');
  });
});

test('a server with an untrusted certificate gets nothing, until CUSTOM_TLS_CERT vouches for it', async () => {
  const life = { now: Date.now(), lifetimeDays: 1 };
  const authority = makeAuthority({ commonName: 'chaos-ca', ...life });
  const own = makeServerCertificate(authority, { commonName: 'chaos', names: ['127.0.0.1'], ...life });
  const key = own.privateKey.export({ type: 'pkcs8', format: 'pem' });
  await using it = await scene({}, { cert: toPem('CERTIFICATE', own.certificate), key });
  await setImage(api.client, it.namespace, 'web', 'nginx:1');
  await untilTrigger(it.namespace, ({ message = '' }) => /certificate/.test(message));
  assert.equal(it.server.received.length, 0);
  const vouching = Buffer.from(toPem('CERTIFICATE', authority.certificate)).toString('base64');
  const data = { CUSTOM_TLS_CERT: vouching };
  await api.client.patch(CONFIG_MAPS, 'subscriber-config', 'merge', { data }, { namespace: it.namespace });
  await untilTrigger(it.namespace, isSent);
  assert.equal(it.server.received.length, 1);
});

test('an infrastructure that is not confirmed holds its triggers', async () => {
  await using it = await scene();
  const confirm = (text: string): Promise<unknown> =>
    api.client.patch(
      CONFIG_MAPS,
      'subscriber-config',
      'merge',
      { data: { IS_INFRA_CONFIRMED: text } },
      { namespace: it.namespace },
    );
  await confirm('false');
  await setImage(api.client, it.namespace, 'web', 'nginx:1');
  await untilTrigger(it.namespace, ({ message = '' }) => /not confirmed/.test(message));
  assert.equal(it.server.received.length, 0);
  await confirm('true');
  await untilTrigger(it.namespace, isSent);
});

test('an object of 1 MiB that changes all the time holds up no other, and nothing of it is kept', async () => {
  await using it = await scene();
  const place = { namespace: it.namespace };
  await createWorkload(api.client, it.namespace, 'large');
  await untilPolicy(it.namespace, ({ status }) => Object.keys(status?.tracked ?? {}).length === 2);
  const change = (count: number): Promise<unknown> => {
    const env = [{ name: 'LARGE', value: String(count).padStart(1024 * 1024, '.') }];
    const spec = { template: { spec: { containers: [{ name: 'main', env }] } } };
    return api.client.patch(DEPLOYMENTS, 'large', 'strategic', { spec }, place);
  };
  const untilSent = (workload: string): Promise<PolicyTrigger> =>
    untilTrigger(it.namespace, (trigger) => isSent(trigger) && trigger.name === workload);
  const ending = new AbortController();
  let changes = 0;
  const churning = (async () => {
    while (!ending.signal.aborted) await change(++changes);
  })();
  await setImage(api.client, it.namespace, 'web', 'nginx:1');
  await untilSent('web');
  await until(() => changes >= 20, 'it does not change');
  await setImage(api.client, it.namespace, 'large', 'nginx:1');
  await untilSent('large');
  ending.abort();
  await churning;
  assert.equal(it.server.received.length, 2);
  const { status } = await untilPolicy(it.namespace, () => true);
  assert.ok(JSON.stringify(status).length < 10_000);
});

const BAD: readonly (readonly [name: string, spec: object, says: RegExp])[] = [
  [
    'an operator that is none',
    { conditions: [{ key: 'a', operator: 'Equals', value: '1' }] },
    /conditions\[0\].operator.*"EqualTo"/,
  ],
  ['a type that is none', { condition_type: 'And' }, /condition_type.*"and", "or"/],
  ['no conditions', { conditions: [] }, /conditions/],
  ['a rollout mode that is none', { rollout: 'twice' }, /rollout.*"once"/],
];
for (const [name, spec, says] of BAD) {
  test(`${name} is refused when the policy is made`, async () => {
    const namespace = `shop-${++number}`;
    await createShop(api.client, namespace);
    await assert.rejects(createPolicy(api.client, namespace, 'policy', spec), says);
  });
}

const INVALID: readonly (readonly [
  name: string,
  conditions: EventTrackerPolicySpec['conditions'],
  says: RegExp,
])[] = [
  [
    'an expression that is none',
    [{ key: 'spec.', operator: 'Change' }],
    /^spec.conditions\[0\].key: .*JMESPath expression/,
  ],
  [
    'no value',
    [{ key: 'a', operator: 'LessThan' }],
    /^spec.conditions\[0\].value: Required value: LessThan compares/,
  ],
];
for (const [name, conditions, says] of INVALID) {
  test(`a policy with ${name} is not ready, says why, and works when it is mended`, async () => {
    await using it = await scene();
    const place = { namespace: it.namespace };
    const before = await untilPolicy(it.namespace, () => true);
    await api.client.patch(EVENT_TRACKER_POLICIES, 'policy', 'merge', { spec: { conditions } }, place);
    const { status } = await untilPolicy(it.namespace, (one) => readyOf(one)?.status === 'False');
    assert.match(findCondition(status?.conditions, 'Ready')?.message ?? '', says);
    const mended = { spec: { conditions: before.spec.conditions } };
    await api.client.patch(EVENT_TRACKER_POLICIES, 'policy', 'merge', mended, place);
    await untilPolicy(it.namespace, (one) => readyOf(one)?.status === 'True');
    await setImage(api.client, it.namespace, 'web', 'nginx:1');
    await untilTrigger(it.namespace, isSent);
  });
}

test('bad policies that an older definition has let in are reported in their status or the log, and hold up no other', async () => {
  await using it = await scene();
  const place = { namespace: it.namespace };
  const name = 'eventtrackerpolicies.eventtracker.litmuschaos.io';
  const ours = await api.client.get<CustomResourceDefinition & KubeObject>(CUSTOM_RESOURCE_DEFINITIONS, name);
  const open = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const schema = (versions: unknown): Promise<unknown> =>
    api.client.patch(CUSTOM_RESOURCE_DEFINITIONS, name, 'merge', { spec: { versions } });
  await schema(ours.spec.versions.map((version) => ({ ...version, schema: open })));
  const kind = { apiVersion: 'eventtracker.litmuschaos.io/v1', kind: 'EventTrackerPolicy' };
  const conditions = [{ key: 'spec.replicas', operator: 'Equals', value: '1' }];
  const bad = { ...kind, metadata: { name: 'bad' }, spec: { condition_type: 'and', conditions } };
  const create = (object: object): Promise<unknown> =>
    api.client.create(EVENT_TRACKER_POLICIES, object as never, place);
  await create(bad);
  await create({ ...kind, metadata: { name: 'empty' } });
  await schema(ours.spec.versions);
  // The status can say so while the older definition holds.
  const isTold = async (one: string): Promise<boolean> => {
    const policy = await api.client.get<EventTrackerPolicy>(EVENT_TRACKER_POLICIES, one, place);
    const inLog = `EventTrackerPolicy ${it.namespace}/${one} cannot be carried out`;
    return readyOf(policy)?.status === 'False' || it.tracker.lines.some((line) => line.includes(inLog));
  };
  await until(
    async () => (await isTold('bad')) && (await isTold('empty')),
    () => it.tracker.lines.join(''),
  );
  await setImage(api.client, it.namespace, 'web', 'nginx:1');
  await untilTrigger(it.namespace, isSent);
});

function readyOf({ status }: EventTrackerPolicy): ReturnType<typeof findCondition> {
  return findCondition(status?.conditions, 'Ready');
}

const ENGINE_SPEC = { chaosServiceAccount: 'sa', experiments: [{ name: 'pod-delete' }] };
const META = { name: 'template', labels: { team: 'shop' } };
const TEMPLATES = {
  WorkflowTemplate: [WORKFLOW_TEMPLATES, { metadata: META, spec: { entrypoint: 'main' } }],
  ChaosEngine: [CHAOS_ENGINES, { metadata: META, spec: { ...ENGINE_SPEC, engineState: 'stop' } }],
  ChaosSchedule: [
    CHAOS_SCHEDULES,
    { metadata: META, spec: { schedule: { now: true }, engineTemplateSpec: ENGINE_SPEC } },
  ],
} as const;

for (const kind of ['WorkflowTemplate', 'ChaosEngine', 'ChaosSchedule'] as const) {
  test(`without a control plane, a ${kind} of the namespace is started, also where it comes later`, async () => {
    const parameters = kind === 'WorkflowTemplate' ? { parameters: { target: 'web' } } : {};
    await using it = await scene({ start: { kind, name: 'template', ...parameters } });
    await setImage(api.client, it.namespace, 'web', 'nginx:1');
    await untilTrigger(it.namespace, ({ message = '' }) => message.includes(`there is no ${kind}`));
    const [resource, template] = TEMPLATES[kind];
    await api.client.create(
      resource,
      { apiVersion: `${resource.group}/${resource.version}`, kind, ...template } as never,
      { namespace: it.namespace },
    );
    const trigger = await untilTrigger(it.namespace, ({ state }) => state === 'Started');
    const made = kind === 'WorkflowTemplate' ? WORKFLOWS : CHAOS_ENGINES;
    const name = `template-${trigger.id.slice(0, 12)}`;
    const object = await api.client.get<KubeObject & { spec: Record<string, unknown> }>(made, name, {
      namespace: it.namespace,
    });
    assert.equal(object.metadata.labels?.['turnsole.io/trigger'], trigger.id);
    if (kind === 'WorkflowTemplate') {
      assert.deepEqual(object.spec, {
        workflowTemplateRef: { name: 'template' },
        arguments: { parameters: [{ name: 'target', value: 'web' }] },
      });
    } else {
      const { spec, metadata } = object as unknown as ChaosEngine;
      assert.deepEqual(
        [spec.engineState, spec.chaosServiceAccount, metadata.labels?.team],
        ['active', 'sa', 'shop'],
      );
    }
    assert.equal(it.server.received.length, 0);
  });
}

test('two trackers: one is active, and the other takes over', async () => {
  await using it = await scene();
  await it.tracker.stop();
  const by = { config: api.server.adminConfig };
  const first = startTracker(by, it.namespace, ['-leader-elect']);
  await setImage(api.client, it.namespace, 'web', 'nginx:1');
  await untilTrigger(it.namespace, isSent);
  await using _second = startTracker(by, it.namespace, ['-leader-elect']);
  assert.equal(await first.stop(), 0);
  await setImage(api.client, it.namespace, 'web', 'nginx:2');
  await untilPolicy(it.namespace, ({ status }) => (status?.triggers ?? []).filter(isSent).length === 2);
  assert.equal(it.server.received.length, 2);
});
