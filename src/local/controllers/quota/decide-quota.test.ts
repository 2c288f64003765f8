import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../../api/core.ts';
import { pod } from '../testing/builders.ts';
import { quotaStatus } from './decide-quota.ts';

test('what a namespace uses of what its quota limits', () => {
  const requesting = (cpu: string, memory: string) => ({
    containers: [{ name: 'm', image: 'i', resources: { requests: { cpu, memory }, limits: { cpu: '1' } } }],
  });
  const objects: Record<string, readonly KubeObject[]> = {
    pods: [
      pod('a', { spec: requesting('500m', '1Gi') }),
      pod('b', { spec: requesting('250m', '512Mi') }),
      pod('done', { phase: 'Succeeded', spec: requesting('4', '8Gi') }),
    ],
    configmaps: [{ metadata: { name: 'c' } }],
    'widgets.example.org': [{ metadata: { name: 'w' } }, { metadata: { name: 'x' } }],
    services: [
      {
        metadata: { name: 's' },
        spec: { type: 'NodePort', ports: [{ port: 1 }, { port: 2 }] },
      } as KubeObject,
    ],
  };
  const hard = {
    pods: '10',
    'count/pods': '10',
    'requests.cpu': '4',
    memory: '8Gi',
    'limits.cpu': '4',
    configmaps: '5',
    'count/widgets.example.org': '5',
    'services.nodeports': '3',
    'something.else': '1',
  };
  const quota = { metadata: { name: 'q' }, spec: { hard } };
  assert.deepEqual(
    quotaStatus(quota, (name) => objects[name] ?? []),
    {
      hard,
      used: {
        pods: '2',
        'count/pods': '3',
        'requests.cpu': '750m',
        memory: '1536Mi',
        'limits.cpu': '2',
        configmaps: '1',
        'count/widgets.example.org': '2',
        'services.nodeports': '2',
      },
    },
  );
});
