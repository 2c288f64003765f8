/** `npm run test:traces`: traces arrive in OpenTelemetry's own collector, which is built from its Go modules. See README.md. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { systemClock } from '../../src/kube/runtime/clock.ts';
import { sendTrace } from '../../src/process/traces/otlp/send.ts';
import { PROTOCOLS, readTraceSettings } from '../../src/process/traces/settings.ts';
import { type ReceivedSpan, spansOfJson } from '../../src/process/traces/testing/received.ts';
import { SAMPLE } from '../../src/process/traces/testing/sample-trace.ts';
import type { RunReport } from '../../src/services/report/model.ts';
import { turnsole } from '../support/turnsole.ts';

const run = promisify(execFile);
const SOURCE = join(import.meta.dirname, 'collector');
const QUICKSTART = join(import.meta.dirname, '..', '..', 'examples', 'quickstart');
/** The first build compiles some hundred packages. */
const BUILD_LIMIT_MS = 15 * 60_000;
const START_LIMIT_MS = 30_000;

/** A collector that listens, and the file with a line for each request that it took. */
interface Collector extends AsyncDisposable {
  readonly grpc: string;
  readonly http: string;
  readonly spans: () => Promise<ReceivedSpan[]>;
}

const hasGo = await run('go', ['version']).then(
  () => true,
  () => false,
);
if (hasGo) {
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-collector-'));
  try {
    const program = join(folder, 'collector');
    console.log('building the collector');
    await run('go', ['build', '-o', program, '.'], { cwd: SOURCE, timeout: BUILD_LIMIT_MS });
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
  const told = spans.flatMap(({ events }) =>
    events.map(({ atMs, name, message }) => `${atMs} ${name} ${message}`),
  );
  const steps = report.engines.flatMap(({ timeline }) =>
    timeline.map(({ time, step, message }) => `${Date.parse(time)} ${step} ${message}`),
  );
  assert.ok(steps.length > 10, 'a run has steps');
  assert.deepEqual(told.sort(), steps.sort());
  assert.equal(new Set(spans.map(({ traceId }) => traceId)).size, 1);
  console.log(`right: a whole run, ${steps.length} steps in ${spans.length} spans of one trace`);
}

async function startCollector(program: string, folder: string): Promise<Collector> {
  const [grpc, http] = [await freeAddress(), await freeAddress()];
  const path = join(await mkdtemp(join(folder, 'run-')), 'traces.jsonl');
  const config = {
    receivers: { otlp: { protocols: { grpc: { endpoint: grpc }, http: { endpoint: http } } } },
    exporters: { lines: { path } },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: { traces: { receivers: ['otlp'], exporters: ['lines'] } },
    },
  };
  // JSON is YAML.
  const child = spawn(program, ['--config', `yaml:${JSON.stringify(config)}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await ready(child);
  return {
    grpc,
    http,
    spans: async () => {
      const text = existsSync(path) ? await readFile(path, 'utf8') : '';
      return text.trim().split('\n').flatMap(spansOfJson);
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

/** Resolves when it says so; rejects with what it said when it ends before, and after 30 s. */
async function ready(child: ChildProcess): Promise<void> {
  const said: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stderr = child.stderr ?? assert.fail('no standard error');
  createInterface({ input: stderr }).on('line', (line) => {
    said.push(line);
    if (line.includes('Everything is ready')) resolve();
  });
  child.once('exit', () => reject(new Error(`the collector has ended:\n${said.join('\n')}`)));
  const cancel = systemClock.setTimer(START_LIMIT_MS, () =>
    reject(new Error(`not ready:\n${said.join('\n')}`)),
  );
  await promise.finally(cancel);
}

async function freeAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `127.0.0.1:${port}`;
}
