import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { type Json, valueAt } from '../object.ts';
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
