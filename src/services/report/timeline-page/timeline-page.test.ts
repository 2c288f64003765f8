/** What the page of a run draws, and that whatever the cluster says stays text. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { ChaosEngine, ChaosResult, LedgerEntry, TimelineEntry } from '../../../api/index.ts';
import type { Measured } from '../../../api/schema/result.ts';
import type { Lane } from './lane.ts';
import { timelinePage } from './model.ts';
import { renderTimelinePage } from './render.ts';

const at = (seconds: number): string =>
  new Date(Date.parse('2030-01-01T00:00:00Z') + seconds * 1000).toISOString();
const step = (seconds: number, actor: string, name: string, object?: string): TimelineEntry => ({
  time: at(seconds),
  actor,
  step: name,
  message: `${name} <b>now</b>`,
  runId: 'r1',
  ...(object === undefined ? {} : { object }),
});
const entry = (id: string, rest: Partial<LedgerEntry>): LedgerEntry => ({
  id,
  fault: 'pod-network-loss',
  target: { kind: 'pod', namespace: 'shop', name: 'web-1' },
  parameters: {},
  state: 'reverted',
  ...rest,
});

const engine: ChaosEngine = {
  metadata: { name: 'e', namespace: 'shop' },
  spec: { experiments: [{ name: 'loss' }] },
  status: {
    runId: 'r1',
    experiments: [
      {
        name: 'loss',
        runner: 'e-runner',
        experimentPod: 'p',
        status: 'Completed',
        verdict: 'Fail',
        reason: 'because',
      },
    ],
    timeline: [step(0, 'operator', 'EngineInitialized'), step(20, 'operator', 'EngineCompleted')],
  },
};
const result: ChaosResult = {
  metadata: { name: 'e-loss', namespace: 'shop' },
  spec: { engine: 'e', experiment: 'loss' },
  status: {
    probeStatuses: [
      { name: 'alive', type: 'httpProbe', mode: 'Continuous', status: { verdict: 'Failed' } },
      { name: 'before', type: 'cmdProbe', mode: 'SOT', status: { verdict: 'Passed' } },
    ],
    ledger: Object.fromEntries(
      [
        entry('r1.r0.a', { injectedAt: at(4), revertedAt: at(14) }),
        entry('r1.r0.b', { injectedAt: at(5), state: 'injected', target: { kind: 'node', name: 'n1' } }),
        entry('r1.r1.c', { injectedAt: at(6), state: 'done', instant: true, fault: 'pod-delete' }),
        entry('r0.r0.d', { injectedAt: at(1), revertedAt: at(2), target: { kind: 'pod', name: 'earlier' } }),
      ].map((one) => [one.id, one]),
    ),
    timeline: [
      step(1, 'experiment/loss', 'ExperimentStarted'),
      step(2, 'probe/before', 'ProbePassed'),
      step(3, 'probe/alive', 'ProbePassed'),
      step(3, 'experiment/loss', 'ChaosStarted'),
      step(8, 'probe/alive', 'ProbeFailed'),
      step(13, 'experiment/loss', 'Recovered', 'pod/shop/web-1'),
      step(15, 'experiment/loss', 'ChaosEnded'),
      step(16, 'experiment/loss', 'Verdict'),
    ],
  },
};
const record = { name: 'e', namespace: 'shop', engine, results: [result], runId: 'r1' };

/** `kind from-to` of bars and `kind at` of marks, in seconds. */
function drawn({ bars, marks }: Lane): string[] {
  const seconds = (ms: number): number => (ms - Date.parse(at(0))) / 1000;
  return [
    ...bars.map(({ kind, fromMs, toMs }) => `${kind} ${seconds(fromMs)}-${seconds(toMs)}`),
    ...marks.filter(({ kind }) => kind !== 'step').map(({ kind, atMs }) => `${kind} ${seconds(atMs)}`),
  ];
}

test('each part of a run has its line, from its first moment to its last', () => {
  const page = timelinePage(record);
  assert.deepEqual(
    page.lanes.map((lane) => [lane.group, lane.name, drawn(lane)]),
    [
      ['Probes', 'alive (Continuous)', ['passed 3-8', 'failure 8-15']],
      ['Probes', 'before (SOT)', ['passed 2']],
      ['Targets', 'pod shop/web-1', ['injected 4-14', 'recovered 13', 'injected 6']],
      ['Targets', 'node n1', ['open 5-20']],
      ['Experiments', 'loss', ['life 1-16', 'chaos 3-15']],
      ['Run', 'operator and runner', ['life 0-20']],
    ],
  );
  assert.deepEqual(page.verdicts, [{ experiment: 'loss', verdict: 'Fail', detail: 'because' }]);
});

test('the numbers of a probe are drawn under it, and what is none is left out', () => {
  const point = (seconds: number, value: unknown) => ({ time: at(seconds), value });
  const points = [point(3, 12.5), { time: 'never', value: 1 }, point(5, 'many'), null, point(8, 340)];
  // Statuses hold whatever their writers put there.
  const measured = { what: 'response time', unit: 'ms', points } as unknown as Measured;
  const probes = (result.status?.probeStatuses ?? []).map((probe) =>
    probe.name === 'alive' ? { ...probe, measured } : { ...probe, measured: { what: 'value', points: [] } },
  );
  const status = { ...result.status, probeStatuses: probes };
  const { lanes } = timelinePage({ ...record, results: [{ ...result, status }] });
  const curves = lanes.flatMap(({ name, curve }) => (curve === undefined ? [] : [[name, curve]]));
  const times = [3, 8].map((seconds) => Date.parse(at(seconds)));
  assert.deepEqual(curves, [
    ['alive (Continuous)', { what: 'response time', unit: 'ms', times, values: [12.5, 340] }],
  ]);
});

test('a fault without effect is drawn in another way, and named at the top', () => {
  const effect = { seen: false, message: 'nobody came' };
  const ledger = { x: entry('r1.r0.x', { injectedAt: at(4), revertedAt: at(14), effect }) };
  const page = timelinePage({ ...record, results: [{ ...result, status: { ...result.status, ledger } }] });
  const [bar] = page.lanes.find(({ group }) => group === 'Targets')?.bars ?? [];
  assert.deepEqual([bar?.kind, bar?.label], ['ineffective', 'pod-network-loss was in force: nobody came']);
  assert.deepEqual(page.warnings, ['pod-network-loss had no effect on pod shop/web-1: nobody came']);
  assert.match(
    renderTimelinePage(page),
    /<li>pod-network-loss had no effect on pod shop\/web-1: nobody came<\/li>/,
  );
});

test('without engine the verdicts are those of the results', () => {
  const page = timelinePage({ ...record, engine: undefined });
  assert.deepEqual(page.verdicts, [{ experiment: 'loss', verdict: 'N/A', detail: '' }]);
});

test('without steps there is a page that says so', () => {
  const html = renderTimelinePage(
    timelinePage({ ...record, engine: undefined, results: [], runId: undefined }),
  );
  assert.match(html, /No step is recorded/);
});

/** What the script of the page draws. */
function dataOf(html: string): { lanes: Lane[]; isRunning: boolean } {
  return JSON.parse(/<script type="application\/json" id="run">(.*?)<\/script>/s.exec(html)?.[1] ?? '');
}

test('the data of the drawing are the lanes, and what the cluster says is text', () => {
  const hostile = { ...record, name: '</script><img src=x onerror=alert(1)>' };
  const page = timelinePage(hostile);
  const html = renderTimelinePage(page);
  assert.deepEqual(dataOf(html).lanes, page.lanes);
  assert.equal(dataOf(html).isRunning, false);
  const own = html.replace(/<(style|script)[^>]*>.*?<\/\1>/gs, '');
  assert.doesNotMatch(own, /<b>|<img/);
  assert.doesNotMatch(own, /<[^>]*(?:src|href)=/);
});

test('a run whose verdict is awaited is not over', () => {
  const experiments = engine.status?.experiments?.map((one) => ({ ...one, verdict: 'Awaited' as const }));
  const status = { ...engine.status, ...(experiments === undefined ? {} : { experiments }) };
  const html = renderTimelinePage(timelinePage({ ...record, engine: { ...engine, status } }));
  assert.equal(dataOf(html).isRunning, true);
});

test('a browser runs the script and takes the style of the page, and no other', () => {
  const html = renderTimelinePage(timelinePage(record));
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
  const texts = [...html.matchAll(/<(?:style|script)>(.*?)<\/(?:style|script)>/gs)];
  assert.equal(texts.length, 2);
  for (const [, text = ''] of texts) {
    const hash = createHash('sha256').update(text).digest('base64');
    assert.ok(policy.includes(`&#39;sha256-${hash}&#39;`), 'the policy names the text');
  }
  assert.doesNotMatch(policy, /unsafe/);
});
