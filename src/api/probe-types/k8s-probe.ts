import type { ProbeTypeDescriptor } from './descriptor.ts';

/** Looks for objects of the cluster, makes or deletes them. */
export const k8sProbe = {
  name: 'k8sProbe',
  code: 'K8S',
  named: 'a k8sProbe',
  measures: 'measurement',
  trial: 'always',
  project: {
    properties: 'k8sProperties',
    word: 'k8s',
    required: { version: '', resource: '', operation: '' },
    checks: 'objects of the cluster',
  },
} as const satisfies ProbeTypeDescriptor;
