import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EnvVar } from '@turnsole/kube/kinds/core';
import type { ChaosEngine, ChaosEngineSpec, EngineExperiment } from '../../api/schema/engine.ts';
import type { ChaosExperiment } from '../../api/schema/experiment.ts';
import { retiredTargets } from './retired-variables.ts';
import { unreadSettings } from './unread-settings.ts';

/** What is said of the variables of an engine, each without its path. */
function told(
  env: readonly EnvVar[],
  {
    fault = 'pod-delete',
    declared = [],
    spec = {},
    entry = {},
  }: {
    readonly fault?: string;
    readonly declared?: readonly EnvVar[];
    readonly spec?: Partial<ChaosEngineSpec>;
    readonly entry?: EngineExperiment['spec'];
  } = {},
): string[] {
  const engine: ChaosEngine = {
    metadata: { name: 'eng', namespace: 'shop' },
    spec: {
      experiments: [{ name: fault, spec: { ...entry, components: { ...entry?.components, env: [...env] } } }],
      ...spec,
    },
  };
  const experiment: ChaosExperiment = {
    metadata: { name: fault },
    spec: { definition: { image: 'litmuschaos/go-runner', env: [...declared] } },
  };
  return unreadSettings({
    engine,
    position: 0,
    experiment,
    operator: { protectedNamespaces: 'kube-system' },
  }).map(({ message, isMistake }) => `${isMistake ? '! ' : ''}${message}`);
}

const one = (name: string, value = 'x'): EnvVar[] => [{ name, value }];

test('whatever is written is used, or it is said why not', async (t) => {
  const unknown = (name: string): string =>
    `${name} is no setting of pod-delete, and its ChaosExperiment does not declare it: it changes nothing`;
  const cases: [string, string[], string[]][] = [
    ['a common setting', told(one('TOTAL_CHAOS_DURATION')), []],
    ['a setting of the fault', told(one('FORCE')), []],
    ['a setting of another fault', told(one('CPU_CORES')), [unknown('CPU_CORES')]],
    ['a setting that no fault has', told(one('LIVENESS_CHECK')), [unknown('LIVENESS_CHECK')]],
    ['one from elsewhere', told([{ name: 'MINE', valueFrom: {} }]), [unknown('MINE')]],
    ['one that asks for nothing', told(one('LIVENESS_CHECK', '')), []],
    ['one that the chart declares', told(one('LIVENESS_CHECK'), { declared: one('LIVENESS_CHECK') }), []],
    [
      'one that a probe uses',
      told(one('LIVENESS_CHECK'), {
        entry: {
          probe: [
            { name: 'p', type: 'cmdProbe', 'cmdProbe/inputs': { command: 'test $LIVENESS_CHECK' } } as never,
          ],
        },
      }),
      [],
    ],
    [
      'variables of programs',
      told([...one('AWS_PROFILE'), ...one('HTTPS_PROXY'), ...one('OTEL_SDK_DISABLED')]),
      [],
    ],
    [
      'one that LitmusChaos needs',
      told(one('SOCKET_PATH')),
      ['SOCKET_PATH is accepted and changes nothing: no runtime socket is mounted'],
    ],
    ['the same where the chart brings it', told(one('SOCKET_PATH'), { declared: one('SOCKET_PATH') }), []],
    [
      'a slip',
      told(one('TOTAL_CHAOS_DURATON')),
      ['! TOTAL_CHAOS_DURATON is no setting of pod-delete; did you mean TOTAL_CHAOS_DURATION?'],
    ],
    [
      'an old name',
      told(one('KILL_COUNT')),
      [
        'KILL_COUNT is a name of LitmusChaos 1 and is not read; write PODS_AFFECTED_PERC, which is a percentage',
      ],
    ],
    ['a variable of the runner', told(one('RUN_ID')), ['RUN_ID is set by the runner, and not by an engine']],
    [
      'a variable that a field of the engine decides',
      told(one('JOB_CLEANUP_POLICY', 'retain'), { spec: { jobCleanUpPolicy: 'delete' } }),
      ['JOB_CLEANUP_POLICY is overruled by spec.jobCleanUpPolicy: "delete" is used'],
    ],
    [
      'a variable that the operator decides',
      told(one('PROTECTED_NAMESPACES', 'none')),
      ['PROTECTED_NAMESPACES is overruled by the operator: "kube-system" is used'],
    ],
    ['the experiment of somebody else', told(one('ANYTHING'), { fault: 'of-somebody-else' }), []],
  ];
  for (const [name, found, expected] of cases) await t.test(name, () => assert.deepEqual(found, expected));
});

test('an old name that chooses a target is refused unless its present name is set as well', () => {
  const settings = ['TARGET_NODE', 'TARGET_PODS', 'DESTINATION_IPS'];
  const names = (env: Record<string, string>, targets: string): string[] =>
    retiredTargets(env, targets, settings).map(({ name, successor }) => `${name} → ${successor}`);
  assert.deepEqual(names({ APP_NODE: 'n2' }, 'node'), ['APP_NODE → TARGET_NODE']);
  assert.deepEqual(names({ APP_NODE: 'n2', TARGET_NODE: 'n2' }, 'node'), []);
  assert.deepEqual(names({ APP_NODE: '' }, 'node'), []);
  assert.deepEqual(names({ APP_NODE: 'n2' }, 'pods'), []);
  assert.deepEqual(names({ TARGET_IPs: '10.0.0.1' }, 'containers'), ['TARGET_IPs → DESTINATION_IPS']);
});
