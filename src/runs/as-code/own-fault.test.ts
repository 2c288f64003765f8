/** The types of faults of one's own fit what the experiment gives and takes: a change of one of both does not compile here. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type * as inner from '../../experiment/injection/fault.ts';
import { ownFaultProblem } from '../../faults/load-own-fault.ts';
import type { FaultContext, FaultInjection, FaultPlanInput, OwnFault } from './own-fault.ts';

/** What the experiment gives: a fault of one's own is told of nothing that is not there. */
const given = {
  context: (context: inner.FaultContext): FaultContext => context,
  injection: (injection: inner.Injection): FaultInjection => injection,
  input: ({ targets, round }: inner.PlanInput<never>): Omit<FaultPlanInput<never>, 'tunables'> => ({
    targets,
    round,
  }),
};

/** What the experiment takes. */
const taken = {
  injection: (injection: FaultInjection): inner.Injection => injection,
  members: (fault: OwnFault): Pick<inner.ApiHold, 'name' | 'summary' | 'permissions'> => fault,
  targets: (targets: OwnFault['targets']): inner.Fault['targets'] => targets,
  shape: (shape: OwnFault['shape']): inner.Fault['shape'] => shape,
};

test('a fault that is written by the types is one', () => {
  const FAULT: OwnFault<{
    readonly MARK: { readonly type: 'text'; readonly default: string; readonly description: string };
  }> = {
    ...{ name: 'pod-mark', summary: 'Marks pods.', targets: 'pods', shape: 'sustained', where: 'api' },
    permissions: [],
    tunables: { MARK: { type: 'text', default: 'chaos', description: 'The mark.' } },
    plan: ({ tunables: { MARK }, targets }) =>
      targets.map((target) => ({ id: target.name, target, parameters: { mark: MARK } })),
    inject: async () => {},
    revert: async () => {},
  };
  assert.equal(ownFaultProblem('pod-mark', FAULT), undefined);
  const injection = { id: 'a', target: { kind: 'Pod', name: 'a' }, parameters: {} };
  assert.equal(given.injection(taken.injection(injection)), injection);
});
