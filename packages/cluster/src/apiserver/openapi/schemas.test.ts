import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { asJson, type Json, valueAt } from '../object.ts';
import { collectType } from './schemas.ts';

describe('schemas of built-in types', () => {
  const schemas: Json = {};
  collectType('core.v1.PodSpec', schemas, '#/definitions/');
  const extensionsOf = (...path: readonly string[]): unknown =>
    Object.fromEntries(
      Object.entries(valueAt(schemas, ...path) ?? {}).filter(([name]) => name.startsWith('x-kubernetes-')),
    );

  for (const [field, wanted] of [
    [
      'containers',
      {
        'x-kubernetes-patch-merge-key': 'name',
        'x-kubernetes-patch-strategy': 'merge',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      },
    ],
    ['nodeSelector', { 'x-kubernetes-map-type': 'atomic' }],
    ['tolerations', { 'x-kubernetes-list-type': 'atomic' }],
    ['restartPolicy', {}],
  ] as const) {
    it(`say how ${field} is merged`, () => {
      assert.deepEqual(extensionsOf('io.k8s.api.core.v1.PodSpec', 'properties', field), wanted);
    });
  }
});

test('required fields are marked, selectors and templates too', () => {
  const schemas: Json = {};
  for (const type of ['apps.v1.DeploymentSpec', 'networking.v1.HTTPIngressPath', 'core.v1.GRPCAction']) {
    collectType(type, schemas, '#/definitions/');
  }
  const required = (type: string): unknown => valueAt(schemas, `io.k8s.api.${type}`, 'required');
  assert.deepEqual(required('apps.v1.DeploymentSpec'), ['selector', 'template']);
  assert.deepEqual(required('networking.v1.HTTPIngressPath'), ['pathType', 'backend']);
  assert.deepEqual(required('core.v1.GRPCAction'), ['port']);
});

describe('what Kubernetes says of its fields', () => {
  const newer: Json = {};
  const older: Json = {};
  for (const type of ['core.v1.Container', 'core.v1.PersistentVolumeClaimSpec', 'apps.v1.Deployment']) {
    collectType(type, newer, '#/components/schemas/');
    collectType(type, older, '#/definitions/');
  }
  const fieldOf = (schemas: Json, path: string): Json => {
    const [type = '', name = ''] = path.split('#');
    return asJson(valueAt(schemas, `io.k8s.api.${type}`, 'properties', name));
  };

  it('are descriptions of types and fields, and of what every kind has', () => {
    assert.match(
      String(valueAt(newer, 'io.k8s.api.core.v1.Container', 'description')),
      /^A single application/,
    );
    assert.match(String(fieldOf(newer, 'core.v1.Container#command').description), /^Entrypoint array\. /);
    assert.match(String(fieldOf(older, 'apps.v1.Deployment#kind').description), /^Kind is a string value/);
  });

  it('are values that a field may have, also as an item of a list', () => {
    const policies = ['Always', 'IfNotPresent', 'Never'];
    assert.deepEqual(fieldOf(newer, 'core.v1.Container#imagePullPolicy').enum, policies);
    assert.deepEqual(fieldOf(older, 'core.v1.Container#imagePullPolicy').enum, policies);
    const { items } = fieldOf(newer, 'core.v1.PersistentVolumeClaimSpec#accessModes');
    const modes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
    assert.deepEqual(asJson(items).enum, modes);
  });

  it('stand beside a reference, in the newer form also with a default', () => {
    const spec = { ...fieldOf(newer, 'apps.v1.Deployment#spec'), description: undefined };
    const $ref = (prefix: string): object => ({ $ref: `${prefix}io.k8s.api.apps.v1.DeploymentSpec` });
    assert.deepEqual(spec, {
      description: undefined,
      allOf: [$ref('#/components/schemas/')],
      default: {},
    });
    const before = { ...fieldOf(older, 'apps.v1.Deployment#spec'), description: undefined };
    assert.deepEqual(before, { description: undefined, ...$ref('#/definitions/') });
  });
});
