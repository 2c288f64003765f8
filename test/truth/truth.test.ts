/** The part of the truth suite that runs every day; with `--all`, a pair of each family. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { effectsImpossible } from '../faults/support/fault-cluster.ts';
import { variants } from '../support/variants.ts';
import { missingNeeds } from './needs.ts';
import { ROWS } from './rows/index.ts';
import { runRows } from './suite.ts';
import { pairOf, problemsOf } from './table.ts';

const [daily = [], others = []] = variants([
  ['pod-delete, another pod serves/http Continuous', 'pod-http-status-code 500/http OnChaos'],
  [
    'container-kill, what is stored stays/http EOT',
    'pod-delete, a pod is running/k8s OnChaos',
    'pod-http-latency/prom OnChaos',
    'pod-network-loss 100 %/http OnChaos',
    'pod-dns-error/http OnChaos',
    'pod-memory-hog/http OnChaos',
    'disk-fill/http OnChaos',
    'node-drain/http Continuous',
  ],
]);

test('applications that are resilient pass, their twins do not', { skip: effectsImpossible }, async () => {
  const missing = await missingNeeds();
  const wanted = new Set<string>([...daily, ...others]);
  const rows = ROWS.filter(
    ({ name, needs = [] }) => wanted.has(pairOf(name)) && !needs.some((need) => missing.has(need)),
  );
  assert.ok(rows.length > 0);
  const outcomes = await runRows(rows);
  const wrong = outcomes.filter(({ judgement }) => judgement === 'wrong');
  assert.deepEqual(wrong.map(problemsOf), []);
});
