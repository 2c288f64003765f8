import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from './metrics.ts';

test('the page shows what was counted', async () => {
  const metrics = createMetrics({ withProcess: false });
  metrics.counter('turnsole_runs_total', 'Runs.', ['verdict']).inc({ verdict: 'Pass' });
  metrics.gauge('turnsole_engines', 'Engines.').set(7);
  const { contentType, body } = await metrics.page();
  assert.match(contentType, /^text\/plain; version=0\.0\.4/);
  assert.match(body, /^turnsole_runs_total\{verdict="Pass"\} 1$/m);
  assert.match(body, /^turnsole_engines 7$/m);
  assert.match(body, /^# HELP turnsole_engines Engines\.$/m);
});

test('controllers share their metrics under the usual names', async () => {
  const metrics = createMetrics({ withProcess: false });
  const engines = metrics.controller('engine');
  engines.opened(() => ({ ready: 3, taken: 2, unfinishedSeconds: 1.5, longestSeconds: 1 }));
  engines.added();
  engines.retried();
  engines.waited(0.02);
  engines.worked(0.3);
  engines.reconciled('error', 0.3);
  metrics.controller('schedule').added();
  const { body } = await metrics.page();
  for (const line of [
    'workqueue_adds_total{name="engine"} 1',
    'workqueue_adds_total{name="schedule"} 1',
    'workqueue_depth{name="engine"} 3',
    'workqueue_unfinished_work_seconds{name="engine"} 1.5',
    'workqueue_longest_running_processor_seconds{name="engine"} 1',
    'controller_runtime_active_workers{controller="engine"} 2',
    'workqueue_retries_total{name="engine"} 1',
    'workqueue_queue_duration_seconds_bucket{le="0.05",name="engine"} 1',
    'workqueue_work_duration_seconds_sum{name="engine"} 0.3',
    'controller_runtime_reconcile_total{controller="engine",result="error"} 1',
    'controller_runtime_reconcile_time_seconds_count{controller="engine"} 1',
  ]) {
    assert.ok(body.includes(`${line}\n`), line);
  }
});

test('requests to the API server are counted by verb, resource and answer', async () => {
  const metrics = createMetrics({ withProcess: false });
  const onCall = metrics.apiCalls();
  onCall({ verb: 'patch', resource: 'chaosengines', code: 200, seconds: 0.1 });
  onCall({ verb: 'patch', resource: 'chaosengines', code: 200, seconds: 0.1 });
  onCall({ verb: 'list', resource: 'pods', code: undefined, seconds: 0.1 });
  const { body } = await metrics.page();
  for (const line of [
    'turnsole_api_requests_total{verb="patch",resource="chaosengines",code="200"} 2',
    'turnsole_api_requests_total{verb="list",resource="pods",code="none"} 1',
  ]) {
    assert.ok(body.includes(`${line}\n`), line);
  }
});

test('processes show their memory', async () => {
  assert.match((await createMetrics().page()).body, /^process_resident_memory_bytes \d+$/m);
});
