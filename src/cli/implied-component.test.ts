import assert from 'node:assert/strict';
import { test } from 'node:test';
import { impliedComponent } from './implied-component.ts';

const CASES: readonly [string, Readonly<Record<string, string>>, 'runner' | 'exporter' | undefined][] = [
  ['a person', { HOME: '/root' }, undefined],
  ['a runner pod', { CHAOSENGINE: 'web', EXPERIMENT_LIST: 'pod-delete' }, 'runner'],
  ['a monitor pod', { CHAOSENGINE: 'web', APP_NAMESPACE: 'shop' }, 'exporter'],
  ["an exporter of upstream's manifests", { TSDB_SCRAPE_INTERVAL: '' }, 'exporter'],
  ["an exporter of upstream's manifest for CloudWatch", { AWS_CLOUDWATCH_METRIC_NAMESPACE: '' }, 'exporter'],
  [
    'an experiment with an APP_NAMESPACE',
    { CHAOSENGINE: 'web', EXPERIMENT_NAME: 'x', APP_NAMESPACE: 'shop' },
    undefined,
  ],
  ['an experiment pod', { CHAOSENGINE: 'web', EXPERIMENT_NAME: 'pod-delete' }, undefined],
];

for (const [name, env, expected] of CASES) {
  test(`without arguments, ${name} is ${expected ?? 'shown the help'}`, () => {
    assert.equal(impliedComponent(env), expected);
  });
}
