import type { ProbeTypeDescriptor } from './descriptor.ts';

/** Runs a command, and judges its output. A trial would run the command beside the keys of the agent. */
export const cmdProbe = {
  name: 'cmdProbe',
  code: 'CMD',
  named: 'a cmdProbe',
  measures: 'measurement',
  trial: 'when allowed',
  project: {
    properties: 'kubernetesCMDProperties',
    word: 'cmd',
    required: { command: '', comparator: {} },
    checks: 'what a command prints',
  },
} as const satisfies ProbeTypeDescriptor;
