import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import type { ChaosEngine, ChaosExperiment, ChaosResult } from '../../src/api/index.ts';
import { unreadFields, unreadText } from '../../src/chaos/unread/unread-fields.ts';
import { unreadSettings } from '../../src/chaos/unread/unread-settings.ts';
import { chartManifests, chartNames, chartsMissing } from '../support/charts.ts';
import { chartRuns } from './expectations.ts';
import { judge } from './run-chart.ts';

test('every chart is run as it is', { skip: chartsMissing }, async () => {
  const names = await chartNames();
  const runs = chartRuns(names).filter(({ filled }) => filled === undefined);
  assert.deepEqual(
    runs.map(({ chart }) => chart),
    names,
  );
  assert.ok(names.length >= 31, names.join());
});

test('nothing is said about what the charts write: they run without noise', {
  skip: chartsMissing,
}, async () => {
  for (const name of await chartNames()) {
    const { fault, engine } = await chartManifests(name);
    const [experiment, written] = [parse(fault) as ChaosExperiment, parse(engine) as ChaosEngine];
    const unread = [
      ...unreadFields(experiment),
      ...unreadFields(written),
      ...unreadSettings({ engine: written, position: 0, experiment }),
    ];
    assert.deepEqual(unread.map(unreadText), [], name);
  }
});

test('a result is as expected by verdict, reason and an empty ledger', () => {
  const result = (verdict: string, reason?: string, state = 'reverted'): ChaosResult => ({
    metadata: { name: 'r' },
    spec: {},
    // Only what the judgement reads.
    status: {
      experimentStatus: {
        verdict,
        ...(reason === undefined ? {} : { errorOutput: { errorCode: 'X', reason } }),
      },
      ledger: { a: { state } },
    } as unknown as NonNullable<ChaosResult['status']>,
  });
  const pass = { verdict: 'Pass', because: 'it recovers' } as const;
  const error = { verdict: 'Error', reason: /no node/, because: 'nothing is named' } as const;
  assert.deepEqual(judge(result('Pass'), pass), {
    state: 'as expected',
    verdict: 'Pass',
    why: 'it recovers',
  });
  assert.equal(judge(result('Error', 'no node found'), error).state, 'as expected');
  assert.equal(judge(result('Error', 'something else'), error).state, 'not as expected');
  assert.match(judge(result('Pass', undefined, 'injected'), pass).why, /1 ledger entries are open/);
  assert.equal(judge(undefined, pass).verdict, 'none');
});
