import type { ProbeTypeDescriptor } from './descriptor.ts';

/** Asks a URL, and judges the answer. */
export const httpProbe = {
  name: 'httpProbe',
  code: 'HTTP',
  named: 'an httpProbe',
  measures: 'request',
  trial: 'always',
  project: {
    properties: 'kubernetesHTTPProperties',
    word: 'http',
    required: { url: '', method: {} },
    checks: 'an HTTP answer',
  },
} as const satisfies ProbeTypeDescriptor;
