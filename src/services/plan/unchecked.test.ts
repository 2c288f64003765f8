import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Manifest } from '../manifests/load.ts';
import type { EnginePlan } from './preflight.ts';
import { refuseUnchecked, uncheckedProblems, uncheckedWarnings } from './unchecked.ts';
import { wholeWorkloads } from './warnings.ts';

const PROBE = { name: 'users', type: 'httpProbe', mode: 'Continuous' };

function engine(probes: readonly (readonly object[] | undefined)[], annotations = {}): Manifest {
  const experiments = probes.map((probe, index) => ({
    name: `fault-${index}`,
    ...(probe === undefined ? {} : { spec: { probe } }),
  }));
  const object = { kind: 'ChaosEngine', metadata: { name: 'web', annotations }, spec: { experiments } };
  return { object, file: 'chaos.yaml', lineOf: () => 1 } as unknown as Manifest;
}

const ROWS: readonly (readonly [name: string, manifest: Manifest, unchecked: readonly string[]])[] = [
  ['a probe for each experiment', engine([[PROBE], [PROBE]]), []],
  ['no probe at all', engine([undefined]), ['fault-0']],
  ['an empty list of probes', engine([[]]), ['fault-0']],
  ['probes before the fault only', engine([[{ ...PROBE, mode: 'SOT' }]]), ['fault-0']],
  [
    'probes before and during it',
    engine([
      [
        { ...PROBE, mode: 'SOT' },
        { ...PROBE, mode: 'OnChaos' },
      ],
    ]),
    [],
  ],
  ['one of two experiments without a probe', engine([[PROBE], undefined]), ['fault-1']],
  ['probes that a server fills in', engine([undefined], { probeRef: '[{"name":"users","mode":"SOT"}]' }), []],
];

for (const [name, manifest, unchecked] of ROWS) {
  test(`an engine with ${name}: ${unchecked.join(', ') || 'each is judged'}`, () => {
    const warnings = uncheckedWarnings(manifest);
    assert.deepEqual(
      warnings.map((text) => text.split(' ')[0]),
      unchecked,
    );
    for (const text of warnings) assert.match(text, /nothing judged what users saw, and there is no score$/);
    const problems = uncheckedProblems(manifest);
    assert.deepEqual(
      problems.map(({ field, code }) => [field, code]),
      unchecked.map((one) => [`spec.experiments[${one.slice(-1)}].spec.probe`, 'CHECK_MISSING']),
    );
    if (unchecked.length === 0) refuseUnchecked([manifest]);
    else
      assert.throws(
        () => refuseUnchecked([manifest]),
        /has (no|only) prob.*, and --require-checks asks for one/,
      );
  });
}

test('probes that look after the fault alone are warned of, and not refused', () => {
  const after = engine([[{ ...PROBE, mode: 'EOT' }], [PROBE, { ...PROBE, mode: 'EOT' }], undefined]);
  const [none = '', one = '', ...more] = uncheckedWarnings(after);
  assert.match(none, /^fault-2 has no probe: /);
  assert.match(one, /^fault-0 has no probe of the modes Continuous and OnChaos: .*; no probe measured while/);
  assert.deepEqual(more, []);
  refuseUnchecked([engine([[{ ...PROBE, mode: 'EOT' }]])]);
});

const SHARES: readonly (readonly [
  kind: string,
  hit: number,
  of: number,
  sequence: string,
  warning: string | undefined,
])[] = [
  ['deployment', 1, 3, 'parallel', undefined],
  ['deployment', 0, 0, 'parallel', undefined],
  ['pod', 1, 1, 'parallel', undefined],
  [
    ...(['deployment', 1, 1, 'serial'] as const),
    'x hits 1 of 1 pod of deployment shop/web (100 %): it has no other one to serve users meanwhile',
  ],
  [
    ...(['statefulset', 3, 3, 'parallel'] as const),
    'x hits all 3 pods of statefulset shop/web (100 %) at once: none is left to serve users meanwhile',
  ],
  [
    ...(['deployment', 2, 2, 'serial'] as const),
    'x hits all 2 pods of deployment shop/web (100 %), one after the other',
  ],
];

for (const [kind, hit, of, sequence, warning] of SHARES) {
  test(`${hit} of ${of} of a ${kind}, ${sequence}: ${warning ?? 'no warning'}`, () => {
    const workloads = [{ kind, namespace: 'shop', name: 'web', hit, of, percent: 0 }];
    const plan = {
      experiment: 'x',
      sequence,
      blastRadius: { workloads },
    } as unknown as EnginePlan['plans'][number];
    assert.deepEqual(wholeWorkloads([plan]), warning === undefined ? [] : [warning]);
  });
}
