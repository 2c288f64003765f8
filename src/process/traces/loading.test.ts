/** What a process loads for traces: nothing without a collector, and OpenTelemetry's packages with the first trace. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

/** Runs `body` in a process of its own, and gives what of traces it loaded. */
async function loadedBy(body: string): Promise<string[]> {
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    const { startTraces } = await import(${JSON.stringify(import.meta.resolve('./start-traces.ts'))});
    const warn = () => {};
    ${body}
    console.log(JSON.stringify(loaded));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  const loaded: unknown = JSON.parse(stdout);
  assert.ok(Array.isArray(loaded));
  return loaded.map(String);
}

const isOfSdk = (url: string): boolean => url.includes('/@opentelemetry/');

test('without a collector nothing is loaded', async () => {
  const loaded = await loadedBy(
    `if ((await startTraces({}, { warn })) !== undefined) throw new Error('a sender');`,
  );
  assert.deepEqual(
    loaded.filter((url) => isOfSdk(url) || /trace-sender|\/otlp\/|node:http2/.test(url)),
    [],
  );
});

test('with a collector the SDK is loaded when there is a trace', async () => {
  const start = `const traces = await startTraces({ OTEL_EXPORTER_OTLP_ENDPOINT: '127.0.0.1:9' }, { warn });`;
  assert.deepEqual((await loadedBy(start)).filter(isOfSdk), []);
  const sent = await loadedBy(`${start}
    traces.add(() => Promise.resolve({ traceId: '${'a'.repeat(32)}', spans: [] }));
    await traces.close();`);
  assert.ok(sent.some(isOfSdk));
});
