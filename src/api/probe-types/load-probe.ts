import type { ProbeTypeDescriptor } from './descriptor.ts';

/** Sends requests at a rate, and judges all of them. Upstream does not know it. A load is no single try, so no agent tries it. */
export const loadProbe = {
  name: 'loadProbe',
  code: 'LOAD',
  named: 'a loadProbe',
  measures: 'request',
  trial: 'never',
  errors: {
    error: {
      means: 'a loadProbe could not be evaluated, mostly because too much of its load was not sent',
      todo: 'the message says what was not sent, and why: give the experiment more processor, or ask for a lower rate or more connections',
    },
    failure: { means: 'more requests of a loadProbe failed, or took longer, than its tolerance allows' },
  },
} as const satisfies ProbeTypeDescriptor;
