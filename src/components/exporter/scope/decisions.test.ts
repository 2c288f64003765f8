/** The pure decisions of the exporter of a namespace or a cluster. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LABEL_RUN_ID } from '../../../api/index.ts';
import { HALT_NAME } from '../../../chaos/halt.ts';
import { createMetrics } from '../../../process/metrics.ts';
import { type ResultShape, resultOf } from '../testing/results.ts';
import { endedRunOf } from './ended-run.ts';
import { labelText, PieceWriter } from './exposition.ts';
import { HaltTime } from './halt-time.ts';
import { residueChange, residueOf } from './residue.ts';
import { ResultBook } from './result-book.ts';
import { type SlimResult, slimEngine, slimResult } from './slim-objects.ts';
import { hasEnded, Tally } from './tally.ts';

const NOW = 1_900_000_000_000;
const iso = (ms: number): string => new Date(NOW + ms).toISOString();

function slim(shape: ResultShape = {}, namespace = 'shop'): SlimResult {
  const result = resultOf(shape);
  return slimResult({ ...result, metadata: { ...result.metadata, namespace, uid: 'u1' } });
}

const PASS = { verdict: 'Pass', runs: [1, 0, 0] } as const;

const ENDS: readonly (readonly [string, ResultShape | undefined, ResultShape, boolean])[] = [
  ['a run begins', undefined, {}, false],
  ['it goes on', {}, {}, false],
  ['it ends', {}, PASS, true],
  ['nothing more happens', PASS, PASS, false],
  ['the verdict in another case', {}, { verdict: 'pass' }, true],
  ['another one begins', PASS, { runs: [1, 0, 0] }, false],
  ['another one has ended meanwhile', PASS, { verdict: 'Pass', runs: [2, 0, 0] }, true],
  ['another one has failed meanwhile', PASS, { verdict: 'Fail', runs: [1, 1, 0] }, true],
  ['the verdict is written anew', PASS, { verdict: 'Error', runs: [1, 0, 0] }, false],
  ['the history is set back', PASS, { verdict: 'Pass' }, false],
  ['a result comes with its verdict', undefined, PASS, true],
  ['a word that is no verdict', {}, { verdict: 'Maybe' }, false],
  ['a dry run ends', {}, { verdict: 'N/A' }, true],
];

for (const [name, before, now, expected] of ENDS) {
  test(`whether a run has ended: ${name}`, () => {
    assert.equal(hasEnded(before && slim(before), slim(now)), expected);
  });
}

const HELD = { plannedAt: iso(0), injectedAt: iso(500), leaseExpiresAt: iso(40_000) };

const REVERTS: readonly (readonly [string, object, abortedMs: number | undefined, number | undefined])[] = [
  ['after its time', { revertedAt: iso(11_500) }, undefined, 1],
  ['as its time is over', { revertedAt: iso(10_500) }, undefined, 0],
  ['after an abort', { revertedAt: iso(5_250) }, 5_000, 0.25],
  ['after an abort that came too late to matter', { revertedAt: iso(11_500) }, 20_000, 1],
  ['after an abort before it was in force', { revertedAt: iso(700) }, 100, 0.2],
  ['with its target, early', { revertedAt: iso(2_000) }, undefined, undefined],
  ['never', {}, undefined, undefined],
  ['of what is over at once', { revertedAt: iso(11_000), instant: true }, undefined, undefined],
];

for (const [name, entry, abortedMs, expected] of REVERTS) {
  test(`how long a revert took: ${name}`, () => {
    const abort = { step: 'Aborted', actor: 'experiment/x', runId: 'r' };
    const timeline = abortedMs === undefined ? [] : [{ ...abort, time: iso(abortedMs) }];
    const ledger = { 'r.r0.a': { ...HELD, ...entry } };
    const { reverts, injections } = endedRunOf({ ledger, timeline }, 'Pass', 'r');
    assert.deepEqual(reverts, expected === undefined ? [] : [expected]);
    assert.deepEqual(injections, [0.5]);
  });
}

test('an injection before its plan, as after a step of the clock, is no latency; nor is one of another run', () => {
  const ledger = { 'r.r0.a': { ...HELD, injectedAt: iso(-1) }, 'r2.r0.a': HELD };
  assert.deepEqual(endedRunOf({ ledger }, 'Pass', 'r').injections, []);
  assert.deepEqual(endedRunOf({ ledger }, 'Pass', '').injections, []);
});

test('residue: what is open of a run that is over, or of an earlier one', () => {
  const ledger = {
    'r1.r0.a': { state: 'injected' },
    'r1.r0.b': { state: 'reverted' },
    'r2.r0.a': { state: 'planned' },
  };
  assert.deepEqual(residueOf(ledger, 'r2', false), ['r1.r0.a']);
  assert.deepEqual(residueOf(ledger, 'r2', true), ['r1.r0.a', 'r2.r0.a']);
  assert.deepEqual(residueOf(ledger, '', false), [], 'whose run is not known');
  assert.deepEqual(residueChange(['a', 'b'], ['b', 'c', 'd']), { found: 2, closed: 1 });
});

test('times by Events outlive the Events; a verdict counts from its end when it was there before', () => {
  const book = new ResultBook(10_000);
  const result = slim({ verdict: 'Pass' });
  book.added(result, true);
  const engine = slimEngine({ metadata: { name: 'web', namespace: 'shop', uid: 'e1' } });
  const summary = {
    metadata: { name: 'x' },
    reason: 'Summary',
    lastTimestamp: iso(-4_000),
    involvedObject: { uid: 'e1' },
  };
  const engineOf = (): typeof engine => engine;
  const first = book.seriesOf(result, { engineOf, eventsOn: () => [summary] }, NOW);
  assert.equal(first.times.end, NOW / 1000 - 4);
  assert.equal(first.verdictUntilMs, NOW + 6_000);
  const later = book.seriesOf(result, { engineOf: () => undefined, eventsOn: () => [] }, NOW + 1);
  assert.equal(later, first, 'nothing has changed of what is shown, so it is not made anew');
  book.deleted(result);
  assert.equal(book.size, 0);
});

test('a verdict is not shown for hours when the clock is set back, nor when that of its run is ahead', () => {
  const book = new ResultBook(10_000);
  const around = { engineOf: () => undefined, eventsOn: () => [] };
  const [seen, ahead] = [slim({ verdict: 'Pass' }), slim({ verdict: 'Fail' })];
  book.added(seen, false);
  assert.equal(book.seriesOf(seen, around, NOW).verdictUntilMs, NOW + 10_000);
  const back = NOW - 3_600_000;
  assert.equal(book.seriesOf(seen, around, back).verdictUntilMs, back + 10_000);
  assert.equal(book.seriesOf(seen, around, back + 1).verdictUntilMs, back + 10_000);
  const late = { ...ahead, times: { start: 0, injected: 0, end: NOW / 1000 + 3_600 } };
  book.added(late, true);
  assert.equal(book.seriesOf(late, around, NOW).verdictUntilMs, NOW + 10_000);
});

test('counts are kept by namespace and fault, and dropped an hour after the last result of both', async () => {
  const metrics = createMetrics({ withProcess: false });
  const tally = new Tally(metrics);
  const result = slim(PASS);
  tally.added(result, false);
  const samples = async (): Promise<string[]> =>
    (await metrics.page()).body.split('\n').filter((line) => /^turnsole.*[1-9]$/.test(line));
  const counted = [
    'turnsole_runs_total{chaosresult_namespace="shop",fault_name="pod-delete",verdict="Pass"} 1',
  ];
  assert.deepEqual(await samples(), counted);
  tally.deleted(result);
  tally.forget(NOW);
  tally.forget(NOW + 3_599_999);
  assert.deepEqual(await samples(), counted);
  tally.forget(NOW + 3_600_000);
  assert.doesNotMatch((await metrics.page()).body, /pod-delete/);
  tally.added(slim(PASS), true);
  assert.deepEqual(await samples(), [], 'what was there at the start was counted before');
});

test('a result whose experiment has changed counts for the new experiment', async () => {
  const metrics = createMetrics({ withProcess: false });
  const tally = new Tally(metrics);
  const old = slim({ name: 'web' });
  tally.added(old, true);
  const now = slim({ name: 'web', experiment: 'node-drain', ...PASS });
  tally.updated(now, old);
  assert.match((await metrics.page()).body, /fault_name="node-drain",verdict="Pass"\} 1/);
  tally.deleted(now);
  tally.forget(NOW);
  tally.forget(NOW + 3_600_000);
  assert.doesNotMatch((await metrics.page()).body, /fault_name=/);
});

test('halted time: pulls add up, a clock that is set back takes nothing away', () => {
  const halts = new HaltTime();
  const lever = (namespace: string) => ({ metadata: { name: HALT_NAME, namespace } });
  halts.pulled(lever('kube-system'), NOW);
  halts.pulled(lever('kube-system'), NOW + 5_000);
  halts.released(lever('kube-system'), NOW + 10_000);
  halts.released(lever('kube-system'), NOW + 20_000);
  halts.pulled(lever('kube-system'), NOW + 30_000);
  const [figures] = halts.figures(NOW + 29_000);
  assert.deepEqual(figures, {
    scope: 'cluster',
    namespace: 'kube-system',
    seconds: 10,
    since: NOW / 1000 + 30,
  });
});

test('labels are escaped', () => {
  assert.equal(labelText({ a: 'x"y\\z\n', b: '' }), 'a="x\\"y\\\\z\\n",b=""');
});

test('pieces hold the texts that were put, whatever their length and script', () => {
  const texts = [
    ...Array.from({ length: 5_000 }, (_, index) => `${index} ${'x'.repeat(60)}\n`),
    '字'.repeat(100_000),
    'é',
  ];
  const writer = new PieceWriter();
  const pieces: Buffer[] = [];
  for (const text of texts) {
    writer.put(text);
    // A piece lies in the writer's memory, so it is copied as a socket would.
    if (writer.isFull) pieces.push(Buffer.from(writer.take()));
  }
  pieces.push(Buffer.from(writer.take()));
  assert.equal(Buffer.concat(pieces).toString(), texts.join(''));
  assert.ok(pieces.length > 3 && pieces.length < 10, `${pieces.length} pieces`);
});

test('what is kept of a result has neither ledger nor timeline', () => {
  const kept = slim({ ...PASS, status: { ledger: { x: HELD }, timeline: [{ step: 'x' }], recovery: {} } });
  assert.deepEqual(Object.keys(kept.metadata), ['name', 'namespace', 'uid', 'resourceVersion']);
  assert.ok(!('status' in kept) && !('spec' in kept));
  assert.equal(kept.metadata.labels?.[LABEL_RUN_ID], undefined);
});
