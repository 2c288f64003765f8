/** Nodes that are drained, tainted or restarted, with all pods of an application on them or not. */
import { pairs } from '../pairs.ts';
import type { Row } from '../row.ts';

const ONE_NODE = ['{node-1}'];
const TWO_NODES = ['{node-1}', '{node-2}'];
/** Longer than what it takes until services have noticed, and far shorter than the chaos. */
const PATIENT = { attempts: 6 };
const NO_ANSWER = /ECONNREFUSED|ECONNRESET|reset|timeout|Actual value/i;
const TARGET = { TARGET_NODE: '{node-1}', TOTAL_CHAOS_DURATION: '6' };
/** A machine that is off answers nothing at all: all attempts together have to end well before the chaos. */
const IN_A_MOMENT = { attempts: 6, withinMs: 500 };

const spread = {
  family: 'node',
  asked: { name: 'web', replicas: 2, env: { DRAIN_MS: '1500' } },
  property: 'nodes',
  resilient: TWO_NODES,
  fragile: ONE_NODE,
  expected: PATIENT,
  more: { nodes: 2, target: undefined },
} as const;

export const NODE_ROWS: readonly Row[] = [
  ...pairs({
    ...spread,
    name: 'node-drain',
    fault: 'node-drain',
    env: TARGET,
    checks: [
      { type: 'http', mode: 'Continuous', reason: NO_ANSWER },
      { type: 'k8s', mode: 'OnChaos' },
      { type: 'prom', mode: 'OnChaos' },
    ],
  }),
  ...pairs({
    ...spread,
    name: 'node-taint NoExecute',
    fault: 'node-taint',
    env: { ...TARGET, TAINTS: 'truth=away:NoExecute' },
    checks: [
      { type: 'http', mode: 'OnChaos', reason: NO_ANSWER },
      { type: 'cmd', mode: 'OnChaos', expected: { everyMs: 500 } },
    ],
  }),
  ...pairs({
    ...spread,
    name: 'node-restart',
    fault: 'node-restart',
    env: { ...TARGET, TOTAL_CHAOS_DURATION: '8' },
    checks: [{ type: 'http', mode: 'Continuous', reason: NO_ANSWER, expected: IN_A_MOMENT }],
  }),
];
