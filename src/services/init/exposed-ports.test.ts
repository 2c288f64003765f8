import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container, KubeObject } from '@turnsole/kube/kinds/core';
import { applicationOf } from '../propose/application.ts';
import { withExposedPorts } from './exposed-ports.ts';

function deployment(name: string, containers: readonly Container[]): KubeObject {
  const spec = { template: { spec: { containers } } };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec } as KubeObject;
}

test('ports that Dockerfiles expose are those of containers whose manifests say none', () => {
  const files: Readonly<Record<string, string>> = {
    'api/Dockerfile': 'FROM node\nEXPOSE 9300',
    'web/Dockerfile': 'FROM node\nEXPOSE 9301',
    Dockerfile: 'FROM node AS jobs\nEXPOSE 9302\nFROM node',
  };
  const objects = [
    deployment('a', [{ name: 'a', image: 'registry.example/shop/api:1' }]),
    deployment('b', [{ name: 'b', image: 'shop/web', ports: [{ containerPort: 80 }] }]),
    deployment('c', [{ name: 'c', image: 'shop/jobs' }, { name: 'd', image: 'shop/other' }, { name: 'e' }]),
  ];
  const { exposed } = withExposedPorts(applicationOf(objects, 'default'), { read: (path) => files[path] });
  assert.deepEqual(
    [...(exposed ?? [])],
    [
      ['registry.example/shop/api:1', { ports: [{ from: 9300, to: 9300 }], source: 'api/Dockerfile' }],
      ['shop/jobs', { ports: [{ from: 9302, to: 9302 }], source: 'Dockerfile' }],
    ],
  );
});
