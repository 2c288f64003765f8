import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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
