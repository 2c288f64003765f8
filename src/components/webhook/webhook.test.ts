import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { request as httpsRequest } from 'node:https';
import { test } from 'node:test';
import { connect as tlsConnect } from 'node:tls';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { PolicyRule } from '@turnsole/kube/kinds/core';
import type { ChaosEngine, ChaosExperiment, ChaosSchedule } from '../../api/index.ts';
import type { AdmissionRequest, AdmissionResponse, AdmittedObject } from './admission.ts';
import { isUsable, makeIdentity, serviceNames } from './identity.ts';
import { requiredAccess } from './required-access.ts';
import { review } from './review.ts';
import { certificateOf, startWebhookServer } from './server.ts';

const DELETES_PODS: PolicyRule[] = [{ apiGroups: [''], resources: ['pods'], verbs: ['list', 'delete'] }];

function engine(spec: Partial<ChaosEngine['spec']> = {}): ChaosEngine & AdmittedObject {
  return {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    metadata: { name: 'e', namespace: 'shop' },
    spec: {
      engineState: 'active',
      chaosServiceAccount: 'pod-delete-sa',
      appinfo: { appns: 'web', applabel: 'app=web', appkind: 'deployment' },
      experiments: [{ name: 'pod-delete' }],
      ...spec,
    },
  };
}

const withEnv = (env: {
  name: string;
  value?: string;
  valueFrom?: object;
}): Partial<ChaosEngine['spec']> => ({
  experiments: [{ name: 'pod-delete', spec: { components: { env: [env] } } }],
});

const ACCESS: readonly [string, ChaosEngine, readonly PolicyRule[], readonly string[]][] = [
  ['the namespace of appinfo, and looking is free', engine(), DELETES_PODS, ['web pods delete']],
  [
    'the engine’s own namespace without one',
    engine({ appinfo: { applabel: 'a=b' } }),
    DELETES_PODS,
    ['shop pods delete'],
  ],
  [
    'every namespace of the selectors',
    engine({
      selectors: {
        workloads: [
          { kind: 'deployment', namespace: 'a', names: 'x' },
          { kind: 'deployment', namespace: 'b', names: 'x' },
        ],
      },
    }),
    DELETES_PODS,
    ['a pods delete', 'b pods delete'],
  ],
  [
    'targets that a variable names',
    engine(withEnv({ name: 'TARGETS', value: 'deployment:bank:[x]' })),
    DELETES_PODS,
    ['web pods delete', 'bank pods delete'],
  ],
  [
    'every namespace when a variable comes from elsewhere',
    engine(withEnv({ name: 'TARGETS', valueFrom: { configMapKeyRef: { name: 'a', key: 'b' } } })),
    DELETES_PODS,
    ['web pods delete', '* pods delete'],
  ],
  [
    'what belongs to no namespace in the cluster',
    engine(),
    [{ apiGroups: [''], resources: ['nodes'], verbs: ['patch'] }],
    ['* nodes patch'],
  ],
  [
    'pods to be created for an image of one’s own',
    engine({ components: { runner: { image: 'example/mine:1' } } }),
    [],
    ['shop pods create'],
  ],
  [
    'pods to be created for a monitor of one’s own, also while monitoring is off',
    engine({ components: { monitor: { image: 'example/mine:1' } } }),
    [],
    ['shop pods create'],
  ],
];

for (const [name, object, permissions, expected] of ACCESS) {
  test(`required access: ${name}`, () => {
    const found = requiredAccess(object, [{ name: 'pod-delete', permissions }]);
    assert.deepEqual(
      found.map(({ namespace = '*', resource, verb }) => `${namespace} ${resource} ${verb}`),
      expected,
    );
  });
}

/** A cluster whose users may do what `allowed` lists, as `user namespace resource verb`. */
function cluster(
  allowed: readonly string[],
  experiment?: ChaosExperiment,
): { client: KubeClient; asked: string[] } {
  const asked: string[] = [];
  const client = {
    find: () => Promise.resolve(experiment),
    raw: (_method: string, _path: string, body: unknown) => {
      // What isAccessAllowed sends.
      const { spec } = body as {
        spec: { user: string; resourceAttributes: { namespace?: string; resource: string; verb: string } };
      };
      const { namespace = '*', resource, verb } = spec.resourceAttributes;
      const what = `${spec.user} ${namespace} ${resource} ${verb}`;
      asked.push(what);
      return Promise.resolve({ status: { allowed: allowed.includes(what) } });
    },
  };
  // Only these two are used.
  return { client: client as unknown as KubeClient, asked };
}

function judge(
  object: AdmittedObject,
  options: {
    before?: AdmittedObject;
    user?: string;
    allowed?: readonly string[];
    trusted?: readonly string[];
    experiment?: ChaosExperiment;
  } = {},
): { answer: Promise<AdmissionResponse>; asked: string[] } {
  const { client, asked } = cluster(options.allowed ?? [], options.experiment);
  const request: AdmissionRequest = {
    uid: 'u1',
    operation: options.before === undefined ? 'CREATE' : 'UPDATE',
    kind: { group: 'litmuschaos.io', version: 'v1alpha1', kind: object.kind ?? '' },
    namespace: 'shop',
    userInfo: { username: options.user ?? 'ann', groups: ['system:authenticated'] },
    object,
    oldObject: options.before ?? null,
  };
  const answer = review(request, {
    client,
    signal: new AbortController().signal,
    permissionsOf: (fault) => Promise.resolve(fault === 'pod-delete' ? DELETES_PODS : undefined),
    faultOf: ({ metadata }) => metadata.name,
    idleReasonOf: (_engine, _experiment, { spec }) =>
      Promise.resolve(
        spec?.components?.env?.some(({ value }) => value === '0') ? 'a setting is 0' : undefined,
      ),
    trusted: options.trusted ?? [],
  });
  return { answer, asked };
}

test('review: who may delete the pods may have them deleted', async () => {
  const { answer } = judge(engine(), { allowed: ['ann web pods delete'] });
  assert.deepEqual(await answer, { uid: 'u1', allowed: true });
});

test('review: what is written and not read is a warning beside the answer, of engines and of what schedules make', async () => {
  const env = ['LIVENESS_CHECK', 'LIB'].map((name) => ({ name, value: 'x' }));
  const spec = { components: { env }, httpProbe: [{ name: 'p' }] } as object;
  const written = engine({ experiments: [{ name: 'pod-delete', spec }] });
  const experiment: ChaosExperiment = {
    metadata: { name: 'pod-delete' },
    spec: { definition: { env: [{ name: 'LIB', value: 'litmus' }] } },
  };
  const options = { allowed: ['ann web pods delete'], experiment };
  const { allowed, warnings } = await judge(written, options).answer;
  assert.equal(allowed, true);
  assert.deepEqual(warnings, [
    'spec.experiments[0].spec.httpProbe: means nothing here; it belongs at spec.experiments[0].spec.probe',
    'spec.experiments[0].spec.components.env[0]: LIVENESS_CHECK is no setting of pod-delete, and its ChaosExperiment does not declare it: it changes nothing',
  ]);
  const schedule = {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosSchedule',
    metadata: { name: 's', namespace: 'shop' },
    spec: { schedule: { now: true }, engineTemplateSpec: written.spec },
  } as ChaosSchedule & AdmittedObject;
  const ofSchedule = (await judge(schedule, options).answer).warnings ?? [];
  assert.equal(ofSchedule.length, 2);
  for (const text of ofSchedule) assert.match(text, /^spec\.engineTemplateSpec\.experiments\[0\]/);
});

test('review: settings that ask for nothing are a warning with the place of their entry; a missing experiment is none', async () => {
  const entry = (name: string, value: string) => ({
    name,
    spec: { components: { env: [{ name: 'CHAOS_INTERVAL', value }] } },
  });
  const written = engine({ experiments: [entry('first', '1'), entry('pod-delete', '0')] });
  const experiment: ChaosExperiment = { metadata: { name: 'pod-delete' }, spec: { definition: {} } };
  const allowed = ['ann web pods delete'];
  const { warnings } = await judge(written, { allowed, experiment }).answer;
  assert.deepEqual(warnings, ['spec.experiments[1]: pod-delete has no effect: a setting is 0']);
  assert.equal((await judge(written, { allowed }).answer).warnings, undefined);
  const schedule = {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosSchedule',
    metadata: { name: 's', namespace: 'shop' },
    spec: { schedule: { now: true }, engineTemplateSpec: written.spec },
  } as ChaosSchedule & AdmittedObject;
  assert.deepEqual((await judge(schedule, { allowed, experiment }).answer).warnings, [
    'spec.engineTemplateSpec.experiments[1]: pod-delete has no effect: a setting is 0',
  ]);
});

test('review: a user without the rights learns what is missing where', async () => {
  const { allowed, status } = await judge(engine()).answer;
  assert.equal(allowed, false);
  assert.equal(status?.code, 403);
  assert.match(
    status?.message ?? '',
    /user ann may not .*: delete pods in namespace web \(pod-delete\); ask for/,
  );
});

test('review: an invalid engine is refused with the path, and without an access review', async () => {
  const { answer, asked } = judge(engine({ experiments: [] }));
  const { status } = await answer;
  assert.equal(status?.code, 422);
  assert.match(status?.message ?? '', /^ChaosEngine e: spec\.experiments/);
  assert.deepEqual(asked, []);
});

test('review: stopping and what is no change of the chaos is everybody’s', async () => {
  const stopped = engine({ engineState: 'stop' });
  const cases: readonly (readonly [AdmittedObject, AdmittedObject])[] = [
    [stopped, engine()],
    [{ ...engine(), metadata: { ...engine().metadata, finalizers: ['a/b'] } }, engine()],
    [{ ...stopped, status: { engineStatus: 'stopped' } } as AdmittedObject, stopped],
  ];
  for (const [object, before] of cases) {
    const { answer, asked } = judge(object, { before });
    assert.equal((await answer).allowed, true);
    assert.deepEqual(asked, []);
  }
});

test('review: starting a stopped engine again is judged, and so are other targets', async () => {
  const stopped = engine({ engineState: 'stop' });
  assert.equal((await judge(engine(), { before: stopped }).answer).allowed, false);
  const elsewhere = engine({ appinfo: { appns: 'bank', applabel: 'a=b', appkind: 'deployment' } });
  const moved = judge(elsewhere, { before: engine(), allowed: ['ann web pods delete'] });
  assert.equal((await moved.answer).allowed, false);
});

test('review: who makes a policy that starts something may create pods in its namespace', async () => {
  const policy = (start?: object): AdmittedObject => ({
    apiVersion: 'eventtracker.litmuschaos.io/v1',
    kind: 'EventTrackerPolicy',
    metadata: { name: 'p', namespace: 'shop' },
    spec: {
      condition_type: 'or',
      conditions: [{ key: 'spec.replicas', operator: 'Change' }],
      ...(start && { start }),
    },
  });
  const starting = policy({ kind: 'ChaosEngine', name: 'e' });
  const { allowed, status } = await judge(starting).answer;
  assert.equal(allowed, false);
  assert.match(status?.message ?? '', /create pods in namespace shop \(what a policy starts\)/);
  assert.equal((await judge(starting, { allowed: ['ann shop pods create'] }).answer).allowed, true);
  assert.equal((await judge(policy()).answer).allowed, true);
});

test('review: what the operator creates from a schedule was judged with the schedule', async () => {
  const operator = 'system:serviceaccount:litmus:turnsole-operator';
  const { answer } = judge(engine(), { user: operator, trusted: [operator] });
  assert.equal((await answer).allowed, true);
});

test('identity: trusted together with the one before, and renewed in time', () => {
  const names = serviceNames({ namespace: 'litmus', service: 'turnsole-webhook' });
  const now = Date.parse('2026-01-01T00:00:00Z');
  const first = makeIdentity(names, now);
  const second = makeIdentity(names, now, first);
  assert.equal(isUsable(first, names, now), true);
  assert.equal(isUsable(first, names, now + 330 * 24 * 60 * 60_000), true);
  assert.equal(isUsable(first, names, now + 340 * 24 * 60 * 60_000), false);
  assert.equal(isUsable(first, ['other.litmus.svc'], now), false);
  assert.equal(isUsable(undefined, names, now), false);
  assert.equal(isUsable({ ...first, certificate: 'torn' }, names, now), false);
  const authorities = second.authorities.match(/-----BEGIN[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  assert.equal(authorities.length, 2);
  for (const [identity, authority] of [
    [second, authorities[0]],
    [first, authorities[1]],
  ] as const) {
    const issuer = new X509Certificate(authority ?? '');
    assert.equal(new X509Certificate(identity.certificate).verify(issuer.publicKey), true);
  }
  assert.equal(makeIdentity(names, now, second).authorities.match(/BEGIN/g)?.length, 2);
});

test('server: answers reviews over TLS by the service’s name, also with a renewed certificate', async () => {
  const servername = 'turnsole-webhook.litmus.svc';
  const first = makeIdentity([servername], Date.now());
  const server = await startWebhookServer({
    port: 0,
    host: '127.0.0.1',
    identity: first,
    review: ({ uid }) => Promise.resolve({ uid, allowed: true }),
    onError: () => {},
    onServerError: () => {},
  });
  const post = (path: string, body: string, ca: string): Promise<{ code: number; text: string }> =>
    new Promise((resolve, reject) => {
      const options = {
        host: '127.0.0.1',
        port: server.port,
        servername,
        ca,
        method: 'POST',
        path,
        agent: false,
      };
      const sent = httpsRequest(options, async (response) => {
        let text = '';
        for await (const chunk of response) text += String(chunk);
        resolve({ code: response.statusCode ?? 0, text });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  try {
    const asked = JSON.stringify({ request: { uid: 'u9', operation: 'CREATE', userInfo: {}, object: null } });
    const { code, text } = await post('/validate?timeout=10s', asked, first.authorities);
    assert.equal(code, 200);
    assert.deepEqual(JSON.parse(text), {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: 'u9', allowed: true },
    });
    assert.equal((await post('/validate', '{"request":', first.authorities)).code, 400);
    assert.equal((await post('/other', asked, first.authorities)).code, 404);
    const second = makeIdentity([servername], Date.now(), first);
    server.renew(certificateOf(second));
    assert.equal((await post('/validate', asked, second.authorities)).code, 200);
    await assert.rejects(post('/validate', asked, first.authorities));
  } finally {
    await server.close();
  }
});

test('server: unused connections do not keep it from ending', async () => {
  const names = ['turnsole-webhook.litmus.svc'];
  const server = await startWebhookServer({
    port: 0,
    host: '127.0.0.1',
    identity: makeIdentity(names, Date.now()),
    review: ({ uid }) => Promise.resolve({ uid, allowed: true }),
    onError: () => {},
    onServerError: () => {},
  });
  // As an API server does that wants to have one at hand.
  const unused = tlsConnect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false });
  await once(unused, 'secureConnect');
  unused.on('error', () => {});
  const gone = once(unused, 'close');
  await server.close();
  await gone;
});
