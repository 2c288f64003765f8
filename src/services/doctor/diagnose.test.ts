import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type ClusterFacts,
  diagnoseCluster,
  diagnoseMachine,
  type Finding,
  type MachineFacts,
} from './diagnose.ts';

const machine: MachineFacts = {
  platform: 'linux',
  node: '24.1.0',
  isRoot: true,
  cluster: { startMs: 300, capabilities: [{ name: 'namespaces', available: true, note: 'isolated' }] },
  missingTools: [],
  impossibleFaults: [],
  netem: true,
  hasKubectl: true,
  memory: { freeMiB: 4_000, totalMiB: 8_000 },
  load: 1,
  processors: 2,
};

const cluster: ClusterFacts = {
  version: 'v1.32.0',
  namespace: 'shop',
  missingKinds: [],
  hasOperator: true,
  isEmbedded: false,
  forbidden: [],
  admission: [],
};

function bad(findings: readonly Finding[]): readonly string[] {
  return findings.filter(({ state }) => state !== 'works').map(({ name, state }) => `${name} ${state}`);
}

describe('what works on a machine', () => {
  const cases: [name: string, facts: Partial<MachineFacts>, bad: string[], help?: RegExp][] = [
    ['everything', {}, []],
    ['an ordinary user who may make namespaces', { isRoot: false }, []],
    [
      'an ordinary user without namespaces',
      { isRoot: false, namespacesRefused: { why: 'for a reason', help: 'sysctl -w one=1' } },
      ['root limited', 'user-namespaces limited'],
      /^sudo -E env/,
    ],
    ['a cluster that does not start', { cluster: { problem: 'no room' } }, ['embedded-cluster broken']],
    ['no netem', { netem: false }, ['netem limited'], /modprobe sch_netem/],
    [
      'missing programs',
      {
        missingTools: [
          { tool: 'tc', package: 'iproute2' },
          { tool: 'ip', package: 'iproute2' },
        ],
      },
      ['tools limited'],
      /^apt-get install iproute2$/,
    ],
    [
      'no user namespaces',
      { namespacesRefused: { why: 'for a reason', help: 'sysctl -w one=1' } },
      ['user-namespaces limited'],
      /^sysctl -w one=1$/,
    ],
    ['no kubectl', { hasKubectl: false }, ['kubectl limited'], /kubernetes-client/],
    ['little memory', { memory: { freeMiB: 100, totalMiB: 1_000 } }, ['memory limited']],
    ['a busy machine', { load: 30 }, ['load limited']],
    ['as busy as it may be', { load: 4 }, []],
    [
      'faults that need more',
      {
        impossibleFaults: [
          { name: 'a', why: 'x' },
          { name: 'b', why: 'x' },
        ],
      },
      ['faults limited'],
    ],
  ];
  for (const [name, facts, expected, help] of cases)
    it(name, () => {
      const findings = diagnoseMachine({ ...machine, ...facts });
      assert.deepEqual(bad(findings), expected);
      if (help !== undefined) assert.match(findings.find(({ state }) => state !== 'works')?.help ?? '', help);
    });

  it('faults with the same reason are named together', () => {
    const impossibleFaults = [
      { name: 'a', why: 'x' },
      { name: 'b', why: 'y' },
      { name: 'c', why: 'x' },
    ];
    const faults = diagnoseMachine({ ...machine, impossibleFaults }).find(({ name }) => name === 'faults');
    assert.equal(faults?.found, 'cannot be injected here: a, c: x; b: y');
  });
});

describe('what works on a cluster', () => {
  const cases: [name: string, facts: Partial<ClusterFacts>, bad: string[]][] = [
    ['everything', {}, []],
    ['no definitions', { missingKinds: ['ChaosEngine'] }, ['kinds broken']],
    ['no operator', { hasOperator: false }, ['operator broken']],
    ['an embedded one has its own', { hasOperator: false, isEmbedded: true }, []],
    ['no rights', { forbidden: ['create chaosengines'] }, ['rights broken']],
    ['a restricted namespace', { podSecurity: 'restricted' }, ['pod-security limited']],
    ['webhooks', { admission: ['kyverno'] }, ['admission limited']],
  ];
  for (const [name, facts, expected] of cases)
    it(name, () => assert.deepEqual(bad(diagnoseCluster({ ...cluster, ...facts })), expected));
});
