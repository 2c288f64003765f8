import type { ProbeTypeDescriptor } from './descriptor.ts';

/** Asks a Prometheus for a value, and judges it. */
export const promProbe = {
  name: 'promProbe',
  code: 'PROM',
  named: 'a promProbe',
  measures: 'measurement',
  trial: 'always',
  project: {
    properties: 'promProperties',
    word: 'prom',
    required: { endpoint: '', comparator: {} },
    checks: 'a value of Prometheus',
  },
} as const satisfies ProbeTypeDescriptor;
