/** Workflows: their own outcome counts, and that of the engines that they bring along. */

import type { KubeObject } from '@turnsole/kube/kinds/core';
import type { Probe } from '../../../src/api/index.ts';
import { APP_PORT } from '../application.ts';
import { pairs } from '../pairs.ts';
import { users } from '../probes.ts';
import type { Row } from '../row.ts';

/** A container that succeeds when the application has an order. */
const ASKS = {
  name: 'asks',
  container: {
    image: 'busybox',
    command: [
      'bash',
      '-c',
      `exec 3<>/dev/tcp/web/${APP_PORT} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3 | grep 'orders: 1'`,
    ],
  },
};

function steps(...templates: readonly string[]) {
  return { name: 'main', steps: templates.map((template) => [{ name: template, template }]) };
}

/** An engine with one round of pod-delete. */
function engineWith(...probes: readonly Probe[]): KubeObject {
  const env = [
    { name: 'TOTAL_CHAOS_DURATION', value: '3' },
    { name: 'CHAOS_INTERVAL', value: '10' },
  ];
  return {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    metadata: { name: 'inside', namespace: '{namespace}' },
    spec: {
      engineState: 'active',
      chaosServiceAccount: 'chaos',
      appinfo: { appns: '{namespace}', applabel: 'app=web', appkind: 'deployment' },
      experiments: [{ name: 'pod-delete', spec: { components: { env }, probe: probes } }],
    },
  } as KubeObject;
}

/** A step as LitmusChaos makes them: it applies an engine and waits for its verdict. */
function brings(engine: KubeObject) {
  return {
    name: 'chaos',
    inputs: {
      artifacts: [{ name: 'engine', path: '/tmp/engine.yaml', raw: { data: JSON.stringify(engine) } }],
    },
    container: {
      image: 'litmuschaos/litmus-checker:latest',
      args: ['-file=/tmp/engine.yaml', '-saveName=/tmp/engine-name'],
    },
  };
}

const USERS = users('http', 'Continuous', { application: 'web', attempts: 6 });
/** It is away for longer than six attempts take, also on a machine that is slow. */
const WEB = { name: 'web', env: { START_MS: '9000', DRAIN_MS: '1500' } };

function ending(command: string, truth: Row['truth']): Row {
  return {
    name: `a workflow whose step ends by \`${command}\`/none`,
    family: 'verdict',
    fault: 'pod-delete',
    check: 'none',
    applications: [],
    env: {},
    probes: [],
    workflow: {
      entrypoint: 'main',
      templates: [
        steps('ends'),
        { name: 'ends', container: { image: 'busybox', command: ['sh', '-c', command] } },
      ],
    },
    truth,
  };
}

export const WORKFLOW_ROWS: readonly Row[] = [
  ...pairs({
    family: 'verdict',
    name: 'a workflow with an engine',
    fault: 'pod-delete',
    env: {},
    asked: WEB,
    property: 'replicas',
    resilient: 2,
    fragile: 1,
    more: { workflow: { entrypoint: 'main', templates: [steps('chaos'), brings(engineWith(USERS))] } },
    checks: [{ type: 'http', mode: 'Continuous' }],
  }),
  ...pairs({
    family: 'verdict',
    name: 'a workflow whose engine passes and whose last step asks',
    fault: 'pod-delete',
    env: {},
    asked: { name: 'web', env: { DATA: '/data/orders' } },
    property: 'data',
    resilient: 'claim',
    fragile: 'pod',
    more: {
      orders: { application: 'web', count: 1 },
      workflow: { entrypoint: 'main', templates: [steps('chaos', 'asks'), brings(engineWith()), ASKS] },
    },
    checks: [{ type: 'cmd', mode: 'EOT' }],
  }),
  {
    name: 'a workflow with an engine without checks/none',
    family: 'verdict',
    fault: 'pod-delete',
    check: 'none',
    applications: [WEB],
    env: {},
    probes: [],
    workflow: { entrypoint: 'main', templates: [steps('chaos'), brings(engineWith())] },
    truth: {
      verdict: 'Pass',
      reason: /nothing judged what users saw/,
      because: 'chaos came and went, and the run says that this is all',
    },
  },
  ending('exit 0', { verdict: 'Pass', because: 'its only step succeeds' }),
  ending('exit 3', { verdict: 'Fail', because: 'its only step fails' }),
  ending('kill -KILL $$', { verdict: 'Fail', because: 'its only step is killed' }),
];
