import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asJson, type Json } from '../object.ts';
import { startTestServer } from '../testing/test-server.ts';
import { validatePodSpec } from './pod-spec.ts';

const CONTAINER = {
  name: 'c',
  image: 'busybox',
  imagePullPolicy: 'Always',
  terminationMessagePolicy: 'File',
};

function problems(container: Json, volumes: readonly Json[], claims: readonly string[] = []): string[] {
  const spec = {
    containers: [{ ...CONTAINER, ...container }],
    volumes,
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
  };
  return validatePodSpec(spec, 'spec', claims).map(({ path, type }) => `${path}: ${type}`);
}

describe('volumes of containers', () => {
  const files = { name: 'v', emptyDir: {} };
  const claim = { name: 'v', persistentVolumeClaim: { claimName: 'x' } };
  const ephemeral = { name: 'v', ephemeral: { volumeClaimTemplate: { spec: {} } } };
  const mount = (extra: Json = {}): Json => ({ volumeMounts: [{ name: 'v', mountPath: '/v', ...extra }] });
  const device = (extra: Json = {}): Json => ({
    volumeDevices: [{ name: 'v', devicePath: '/dev/v', ...extra }],
  });
  const mountAt = 'spec.containers[0].volumeMounts[0]';
  const deviceAt = 'spec.containers[0].volumeDevices[0]';
  const table: readonly (readonly [string, Json, readonly Json[], readonly string[], readonly string[]])[] = [
    ['a mount', mount(), [files], [], []],
    ['a mount of nothing', mount(), [], [], [`${mountAt}.name: FieldValueNotFound`]],
    ['a mount of a claim template', mount(), [], ['v'], []],
    ['a mount of a claim template with a volume of its name', mount(), [files], ['v'], []],
    ['a mount of another claim template', mount(), [], ['w'], [`${mountAt}.name: FieldValueNotFound`]],
    ['a device of a claim', device(), [claim], [], []],
    ['a device of a claim template', device(), [files], ['v'], []],
    ['a device of an ephemeral claim', device(), [ephemeral], [], []],
    ['a device of nothing', device(), [], [], [`${deviceAt}.name: FieldValueNotFound`]],
    ['a device of files', device(), [files], [], [`${deviceAt}.name: FieldValueInvalid`]],
    [
      'a device that is mounted as well',
      { ...mount(), ...device() },
      [claim],
      [],
      [`${deviceAt}.name: FieldValueInvalid`],
    ],
    [
      'a device without a path',
      device({ devicePath: '' }),
      [claim],
      [],
      [`${deviceAt}.devicePath: FieldValueRequired`],
    ],
    [
      'two sub-paths',
      mount({ subPath: 'a', subPathExpr: '$(B)' }),
      [files],
      [],
      [`${mountAt}.subPathExpr: FieldValueInvalid`],
    ],
    [
      'a sub-path that leads out',
      mount({ subPathExpr: '../$(B)' }),
      [files],
      [],
      [`${mountAt.replace(/\[\d+\]$/, '')}.subPathExpr: FieldValueInvalid`],
    ],
  ];
  for (const [name, container, volumes, claims, wanted] of table) {
    it(`are judged: ${name}`, () => assert.deepEqual(problems(container, volumes, claims), wanted));
  }
});

describe('templates', () => {
  const template = (spec: Json = {}): Json => ({
    metadata: { labels: { a: 'b' } },
    spec: { containers: [{ name: 'c', image: 'busybox' }], ...spec },
  });

  it('of a cron job are judged with it', async (t) => {
    const server = await startTestServer(t);
    const post = async (spec: Json): Promise<readonly unknown[]> => {
      const { status, body } = await server.call(
        'POST',
        '/apis/batch/v1/namespaces/default/cronjobs?dryRun=All',
        {
          body: {
            apiVersion: 'batch/v1',
            kind: 'CronJob',
            metadata: { name: 'c' },
            spec: { schedule: '* * * * *', jobTemplate: { spec: { template: template(spec) } } },
          },
        },
      );
      const causes = asJson(body.details).causes;
      return [status, ...(Array.isArray(causes) ? causes.map((cause) => asJson(cause).field) : [])];
    };
    const path = 'spec.jobTemplate.spec.template.spec';
    assert.deepEqual(await post({ restartPolicy: 'Never' }), [201]);
    assert.deepEqual(await post({}), [422, `${path}.restartPolicy`]);
    assert.deepEqual(await post({ restartPolicy: 'Never', containers: [] }), [422, `${path}.containers`]);
  });

  it('of claims look as the real server gives them', async (t) => {
    const server = await startTestServer(t);
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    const path = '/apis/apps/v1/namespaces/default/statefulsets';
    const { status, body } = await server.call('POST', `${path}?fieldValidation=Strict`, {
      body: {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: { name: 's' },
        spec: {
          serviceName: 's',
          selector: { matchLabels: { a: 'b' } },
          template: template(),
          volumeClaimTemplates: [claim],
        },
      },
    });
    assert.equal(status, 201, JSON.stringify(body));
    assert.deepEqual(asJson(body.spec).volumeClaimTemplates, [
      { ...claim, spec: { ...claim.spec, volumeMode: 'Filesystem' }, status: { phase: 'Pending' } },
    ]);
    const scaled = await server.call('PATCH', `${path}/s`, {
      type: 'application/merge-patch+json',
      body: { spec: { replicas: 2, volumeClaimTemplates: [claim] } },
    });
    assert.equal(scaled.status, 200, JSON.stringify(scaled.body));
  });
});
