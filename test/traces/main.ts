/** `npm run test:traces`: traces arrive in OpenTelemetry's own collector, which is built from its Go modules. See README.md. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@turnsole/kube/base/clock';
import { sendTrace } from '../../src/process/traces/otlp/send.ts';
import { PROTOCOLS, readTraceSettings } from '../../src/process/traces/settings.ts';
import { SAMPLE } from '../../src/process/traces/testing/sample-trace.ts';
import type { RunReport } from '../../src/services/report/model.ts';
import { eventsOf, linesOf } from '../support/traces.ts';
import { turnsole } from '../support/turnsole.ts';
import { buildCollector, hasGo, startCollector } from './collector-process.ts';

const QUICKSTART = join(import.meta.dirname, '..', '..', 'examples', 'quickstart');

if (await hasGo()) {
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-collector-'));
  try {
    console.log('building the collector');
    const program = await buildCollector(folder);
    await everyProtocol(program, folder);
    await wholeRun(program, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
} else console.log('skipped: there is no Go to build the collector with');

/** The same trace by each protocol is the same in the collector. */
async function everyProtocol(program: string, folder: string): Promise<void> {
  const never = new AbortController().signal;
  for (const protocol of PROTOCOLS) {
    for (const compression of ['none', 'gzip']) {
      await using collector = await startCollector(program, folder);
      const wish = readTraceSettings({
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://${protocol === 'grpc' ? collector.grpc : collector.http}`,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_COMPRESSION: compression,
      });
      assert.equal(wish.kind, 'on');
      if (wish.kind !== 'on') continue;
      const signals = { hurry: never, signal: never };
      await sendTrace(SAMPLE, wish.settings, { clock: systemClock, random: Math.random, ...signals });
      const spans = await collector.spans();
      assert.deepEqual(
        spans.map(({ traceId, spanId, service, name, startMs, endMs, failure }) => ({
          traceId,
          spanId,
          service,
          name,
          startMs,
          endMs,
          failure,
        })),
        SAMPLE.spans.map(({ id, service, name, startMs, endMs, failure }) => ({
          traceId: SAMPLE.traceId,
          spanId: id,
          service,
          name,
          startMs,
          endMs,
          failure,
        })),
      );
      console.log(`right: ${protocol}, ${compression}`);
    }
  }
}

/** The quick start with upstream's form of the setting: every step of its timeline is there, with its time. */
async function wholeRun(program: string, folder: string): Promise<void> {
  await using collector = await startCollector(program, folder);
  const json = join(folder, 'report.json');
  const outcome = await turnsole(['run', QUICKSTART, '--json', json], {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.grpc,
  });
  assert.equal(outcome.code, 0, outcome.stdout + outcome.stderr);
  const report = JSON.parse(await readFile(json, 'utf8')) as RunReport;
  const spans = await collector.spans();
  const steps = linesOf(report.engines.flatMap(({ timeline }) => timeline));
  assert.ok(steps.length > 10, 'a run has steps');
  assert.deepEqual(eventsOf(spans), steps);
  assert.equal(new Set(spans.map(({ traceId }) => traceId)).size, 1);
  console.log(`right: a whole run, ${steps.length} steps in ${spans.length} spans of one trace`);
}
