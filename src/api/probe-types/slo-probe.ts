import type { ProbeTypeDescriptor } from './descriptor.ts';

/**
 * Judges the error budget of a service level objective. Upstream never runs it, so its codes are ours. No agent tries it: its token would be
 * read from a Secret by the rights of the agent, whose own key is one too.
 */
export const sloProbe = {
  name: 'sloProbe',
  code: 'SLO',
  named: 'a sloProbe',
  measures: 'measurement',
  trial: 'never',
} as const satisfies ProbeTypeDescriptor;
