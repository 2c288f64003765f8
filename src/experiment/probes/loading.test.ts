import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

/** Runs `body` in a process of its own, with the runner's options in scope, and gives the modules it loaded. */
async function modulesLoadedBy(body: string): Promise<string[]> {
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    const { createProbeRunner } = await import(${JSON.stringify(import.meta.resolve('./runner.ts'))});
    const { systemClock: clock } = await import(${JSON.stringify(import.meta.resolve('@turnsole/kube/base/clock'))});
    const options = {
      client: {}, clock, env: process.env, signal: new AbortController().signal, totalChaosDurationSeconds: 1,
      statusCheckTimeoutSeconds: 1, logger: { info() {}, warn() {} }, onUpdate() {}, onStop() {},
    };
    ${body}
    console.log(JSON.stringify(loaded));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  const loaded: unknown = JSON.parse(stdout);
  assert.ok(Array.isArray(loaded));
  return loaded.map(String);
}

const isTypeOfProbe = (url: string): boolean =>
  /experiment\/probes\/(http|cmd|k8s|prom)-probe\.ts$|\/yaml\/|node:https?$/.test(url);

test('an experiment without probes loads no type of probes', async () => {
  const loaded = await modulesLoadedBy(`
    const runner = createProbeRunner({ ...options, probes: [] });
    await runner.preChaos(); await runner.prepareChaos(); runner.chaosBegan(); await runner.postChaos();`);
  assert.ok(loaded.some((url) => url.endsWith('runner.ts')));
  assert.deepEqual(loaded.filter(isTypeOfProbe), []);
});

test('only the types that occur are loaded', async () => {
  const loaded = await modulesLoadedBy(`
    const runner = createProbeRunner({ ...options, probes: [{
      name: 'a', type: 'cmdProbe', mode: 'SOT', runProperties: { probeTimeout: '10s', interval: '' },
      'cmdProbe/inputs': { command: 'true', comparator: { type: 'string', criteria: 'equal', value: '' } },
    }] });
    if (!(await runner.preChaos()).ok) throw new Error('the probe should have passed');`);
  assert.deepEqual(
    loaded.filter(isTypeOfProbe).map((url) => url.slice(url.lastIndexOf('/') + 1)),
    ['cmd-probe.ts'],
  );
});
