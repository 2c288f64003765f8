import type { FaultNames } from './scaffold-options.ts';

/** A fault that acts in a container's namespaces: it takes an address out of its reach by a route. Pure. */
export function containerFault({ name, variable }: FaultNames): string {
  return `import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import type { InjectionTarget } from '../../api/index.ts';
import { ContainerRuntimeError, InjectError } from '../../experiment/injection/errors.ts';
import type { FaultContext, Injection, NodeHold, PlanInput } from '../../experiment/injection/fault.ts';
import { chaosDuration } from '../../experiment/injection/settings/common-tunables.ts';
import type { TunableSchema } from '../../experiment/injection/tunables.ts';
import { locateContainer } from '../../experiment/node/container-locator.ts';
import { runInside } from '../../experiment/node/enter.ts';
import { ENTERING_HELPER, POD_HELPER_RULES, POD_NETWORK_NEEDS } from '../by-helper.ts';

const tunables = {
  TOTAL_CHAOS_DURATION: chaosDuration(30, 'How long chaos lasts.'),
  ADDRESS: {
    type: 'text',
    default: '',
    required: true,
    pattern: '[0-9]+([.][0-9]+){3}',
    form: 'an IPv4 address',
    description: 'What the container does not reach any more.',
  },
} as const satisfies TunableSchema;

/**
 * TODO: what it does, in a sentence.
 *
 * What is touched: a route in the network namespace of the pod. How it is undone: it is removed. What remains if the host dies:
 * nothing, for the namespace dies with it; if the helper dies, the route, until the recovery removes it by the ledger.
 */
export const ${variable}: NodeHold<typeof tunables> = {
  name: '${name}',
  summary: 'TODO: what it does, in a sentence.',
  tunables,
  targets: 'containers',
  shape: 'sustained',
  where: 'node',
  permissions: POD_HELPER_RULES,
  needs: { ...POD_NETWORK_NEEDS, tools: ['nsenter', 'ip'] },
  helper: ENTERING_HELPER,
  observe,
  plan,
  inject,
  revert,
};

export default ${variable};

async function observe(
  target: InjectionTarget,
  { client, signal }: FaultContext,
): Promise<Readonly<Record<string, unknown>>> {
  const pod = await client.get<Pod>(PODS, target.name, { namespace: target.namespace, signal });
  const status = pod.status?.containerStatuses?.find((one) => one.name === target.container);
  return { containerId: status?.state?.running === undefined ? undefined : status.containerID };
}

/** Pure, and run for every target before the first is hit: refuse here what would do lasting harm. */
function plan({ tunables: { ADDRESS }, targets }: PlanInput<typeof tunables>): readonly Injection[] {
  return targets.map(({ observed = {}, ...target }) => {
    const { containerId } = observed;
    if (typeof containerId !== 'string') {
      const object = \`container \${target.container} of pod \${target.namespace}/\${target.name}\`;
      throw new InjectError(\`cannot inject ${name} into \${object}: it is not running; repair it first\`);
    }
    return {
      id: \`\${target.namespace}.\${target.name}.\${target.container}\`,
      target,
      parameters: { containerId, address: ADDRESS },
    };
  });
}

/** A second call for the same injection changes nothing more: \`replace\`, not \`add\`. */
async function inject({ parameters }: Injection, { signal }: FaultContext): Promise<void> {
  const process = await locateContainer(String(parameters.containerId));
  const command = ['ip', 'route', 'replace', 'blackhole', String(parameters.address)];
  await runInside(process, { namespaces: ['net'], signal }, command);
}

/** Has nothing but the injection: it may run in another process, after inject never finished, when the target is gone. */
async function revert({ parameters }: Injection, { signal }: FaultContext): Promise<void> {
  try {
    const process = await locateContainer(String(parameters.containerId));
    const command = ['ip', 'route', 'del', 'blackhole', String(parameters.address)];
    // 2: there is no such route.
    await runInside(process, { namespaces: ['net'], signal, accept: [0, 2] }, command);
  } catch (error) {
    if (error instanceof ContainerRuntimeError) return;
    throw error;
  }
}
`;
}

/** Its test, with a real process in namespaces. Pure. */
export function containerTest({ name, variable }: FaultNames): string {
  return `import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { test } from 'node:test';
import { contextFor } from '../../experiment/injection/testing/builders.ts';
import { locateContainer } from '../../experiment/node/container-locator.ts';
import { runInside } from '../../experiment/node/enter.ts';
import { validateFaultEnv } from '../index.ts';
import ${variable} from './${name}.ts';

const ADDRESS = '203.0.113.7';

test('settings are checked before anything is touched', async () => {
  assert.deepEqual(await validateFaultEnv('${name}', { ADDRESS }), []);
  assert.deepEqual(await validateFaultEnv('${name}', {}), [
    { variable: 'ADDRESS', found: '', expected: 'an IPv4 address' },
  ]);
});

test('it is injected and reverted in the namespace of a process, as often as it is asked to', {
  skip: process.getuid?.() === 0 ? false : 'network namespaces take root',
}, async (t) => {
  const containerId = randomUUID();
  const child = spawn('unshare', ['-n', '/bin/sh', '-c', 'ip link set lo up && echo ready && exec cat'], {
    env: { ...process.env, TURNSOLE_CONTAINER_ID: containerId },
  });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const context = contextFor();
  const routes = async () => {
    const inside = await locateContainer(containerId);
    return (await runInside(inside, { namespaces: ['net'] }, ['ip', 'route'])).stdout.trim();
  };
  const target = { kind: 'pod', namespace: 'shop', name: 'web', container: 'app', observed: { containerId } };
  const [injection] = ${variable}.plan({
    tunables: { TOTAL_CHAOS_DURATION: 30, ADDRESS },
    targets: [target],
    round: 0,
    random: () => 0,
  });
  assert.ok(injection);

  await ${variable}.inject(injection, context);
  await ${variable}.inject(injection, context);
  assert.equal(await routes(), \`blackhole \${ADDRESS}\`);

  await ${variable}.revert(injection, context);
  await ${variable}.revert(injection, context);
  assert.equal(await routes(), '');

  child.kill('SIGKILL');
  await once(child, 'exit');
  await ${variable}.revert(injection, context);
});
`;
}
