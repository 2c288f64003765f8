import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  ManifestPlan,
  PlanFinding,
  PlanSeverity,
} from '../../../src/controlplane/schema/generated/types.ts';
import {
  budgetWords,
  findingGroups,
  nodesWords,
  permissionWords,
  planSentence,
  roundsWords,
  shareWords,
  whyNotRun,
} from './plan.ts';

const ROUNDS: readonly (readonly [given: Parameters<typeof roundsWords>[0], words: string])[] = [
  [{ rounds: 3, durationSeconds: 15, intervalSeconds: [5, 5] }, '3 rounds in 15 s, at 0, 5 and 10 s'],
  [{ rounds: 1, durationSeconds: 15, intervalSeconds: [20, 20] }, 'one round in 15 s'],
  [{ rounds: 12, durationSeconds: 60, intervalSeconds: [5, 5] }, '12 rounds in 1 min, every 5 s'],
  [{ rounds: 3, durationSeconds: 30, intervalSeconds: [5, 15] }, 'about 3 rounds in 30 s, every 5 to 15 s'],
  [{ rounds: 1, durationSeconds: 30, intervalSeconds: null }, 'held for 30 s'],
];
for (const [given, words] of ROUNDS) test(words, () => assert.equal(roundsWords(given), words));

const web = { kind: 'deployment', namespace: 'shop', name: 'web', hit: 2, of: 3, percent: 67, isThere: true };
const SHARES: readonly (readonly [given: Partial<typeof web>, words: string])[] = [
  [{}, '2 of 3 pods of deployment shop/web (67 %)'],
  [{ isThere: false }, '2 of 3 pods of deployment shop/web (67 %), which is not there yet'],
  [{ hit: 1, of: 1, percent: 100 }, '1 of 1 pod of deployment shop/web (100 %)'],
  [{ kind: 'pod' }, 'pod shop/web'],
];
for (const [given, words] of SHARES) test(words, () => assert.equal(shareWords({ ...web, ...given }), words));

test('the words of a plan leave out counts that are not known yet', () => {
  const given = { ...web, kind: 'daemonset', hit: null, of: null, percent: null, isThere: false };
  assert.equal(shareWords(given), 'daemonset shop/web, which is not there yet');
  assert.equal(nodesWords({ hit: ['a', 'b'], of: null }), 'nodes a, b');
  assert.equal(nodesWords({ hit: ['a'], of: 3 }), 'on 1 of 3 nodes');
  assert.equal(nodesWords({ hit: [], of: 3 }), undefined);
});

test('the words of a disruption budget say whether a round would violate it', () => {
  const budget = { namespace: 'shop', name: 'web', hitAtOnce: 2, allowed: 1, violated: true };
  assert.equal(budgetWords(budget), 'budget shop/web would be violated: 2 hit at once, 1 may be missing now');
});

test('permissions: those that are missing, else how many were asked for, else that they are unknown', () => {
  const missing = {
    account: 'litmus/sa',
    verb: 'list',
    group: 'apps',
    resource: 'deployments',
    namespace: '',
  };
  assert.deepEqual(permissionWords({ permissionsChecked: 9, permissionsMissing: [missing] }), [
    'litmus/sa may not list deployments.apps in the cluster',
  ]);
  assert.match(permissionWords({ permissionsChecked: 9, permissionsMissing: [] }).join(), /all of it \(9 /);
  assert.match(permissionWords({ permissionsChecked: 0, permissionsMissing: [] }).join(), /are unknown/);
});

function finding(severity: PlanSeverity): PlanFinding {
  return { severity, code: null, text: severity, advice: null, object: null, field: null };
}

test('findings stand by severity, the gravest first', () => {
  const groups = findingGroups([finding('Note'), finding('Problem'), finding('Note')]);
  assert.deepEqual(
    groups.map(({ severity, findings }) => [severity, findings.length]),
    [
      ['Problem', 1],
      ['Note', 2],
    ],
  );
});

test('why an experiment would not run: the first problem, and how many more there are', () => {
  const whyNot = (...severities: PlanSeverity[]): string | undefined =>
    whyNotRun({ wouldRun: !severities.includes('Problem'), findings: severities.map(finding) });
  assert.equal(whyNot('Doubt', 'Warning', 'Note'), undefined);
  assert.equal(whyNot('Doubt', 'Problem'), 'This keeps it from running: Problem');
  assert.equal(
    whyNot('Problem', 'Problem', 'Problem'),
    'This keeps it from running: Problem (and 2 more problems)',
  );
  // A cut list of findings may lack the problem.
  assert.match(whyNotRun({ wouldRun: false, findings: [] }) ?? '', /keeps it from running/);
});

const SENTENCES: readonly (readonly [severities: readonly PlanSeverity[], hit: number, sentence: RegExp])[] =
  [
    [['Problem'], 1, /^One problem keeps it/],
    [['Problem', 'Problem'], 1, /^2 problems keep it/],
    [['Doubt'], 1, /one finding speaks against it as things are now/],
    [[], 2, /^It would hit 2 targets in its first round; nothing speaks against it/],
    [['Warning'], 1, /^It would hit one target .* to be thought about/],
    [['Note'], 0, /known only then/],
  ];
for (const [severities, hit, sentence] of SENTENCES) {
  test(`a plan with ${severities.join(', ') || 'nothing'} and ${hit} targets in a sentence`, () => {
    const plan = {
      wouldRun: !severities.includes('Problem'),
      findings: severities.map(finding),
      experiments: [{ targetCount: hit }],
    } as unknown as ManifestPlan;
    assert.match(planSentence(plan), sentence);
  });
}
