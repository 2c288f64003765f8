import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { createLogger } from '@turnsole/kube/base/log';
import type { KubeClient } from '@turnsole/kube/client/types';
import { CUSTOM_RESOURCE_DEFINITIONS } from '@turnsole/kube/kinds/resources';
import { startApi } from '@turnsole/kube/testing/api';
import { CUSTOM_RESOURCES } from '../../api/crds.ts';
import { CHAOS_ENGINES, type ChaosEngine } from '../../api/index.ts';
import { traceParentOf } from '../../api/trace-parent.ts';
import { runChecker } from './run-checker.ts';

const place = { namespace: 'default' };

const TRACE_PARENT = '{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}';

const MANIFEST = `
apiVersion: litmuschaos.io/v1alpha1
kind: ChaosEngine
metadata: { generateName: pod-delete-, namespace: default, labels: { workflow_run_id: abc } }
spec:
  engineState: active
  chaosServiceAccount: litmus-admin
  experiments: [{ name: pod-delete }]
`;

describe('litmus-checker', () => {
  let api: Awaited<ReturnType<typeof startApi>>;
  before(async () => {
    api = await startApi(createApiServer);
    const definition = CUSTOM_RESOURCES.find(({ resource }) => resource === CHAOS_ENGINES)?.definition;
    assert.ok(definition !== undefined);
    await api.client.create(CUSTOM_RESOURCE_DEFINITIONS, definition);
  });
  after(() => api[Symbol.asyncDispose]());

  it('creates the engine, says and saves its name, and ends with 0 when the run is over, whatever the verdict', async (t) => {
    const step = await checker(t, api.client, MANIFEST, '-saveName=/name');
    const name = await step.engine;
    const engine = await api.client.get<ChaosEngine>(CHAOS_ENGINES, name, place);
    assert.equal(engine.metadata.labels?.workflow_run_id, 'abc');
    assert.equal(
      traceParentOf(engine.metadata),
      TRACE_PARENT,
      'its run is part of the trace of the workflow',
    );
    await setStatus(api.client, name, 'initialized');
    assert.equal(await readFile(step.savedName, 'utf8'), name);
    await setStatus(api.client, name, 'Completed');
    assert.equal(await step.exitCode, 0);
  });

  it('ends with 0 when the engine was stopped', async (t) => {
    const step = await checker(t, api.client, MANIFEST);
    await setStatus(api.client, await step.engine, 'stopped');
    assert.equal(await step.exitCode, 0);
  });

  it('ends with 0 at once when it is stopped, and leaves the engine', async (t) => {
    const step = await checker(t, api.client, MANIFEST);
    const name = await step.engine;
    step.stop.abort();
    assert.equal(await step.exitCode, 0);
    assert.equal((await api.client.get(CHAOS_ENGINES, name, place)).metadata.deletionTimestamp, undefined);
  });

  it('ends with 1 when the engine is deleted before its run is over', async (t) => {
    const step = await checker(t, api.client, MANIFEST);
    const name = await step.engine;
    await api.client.delete(CHAOS_ENGINES, name, place);
    assert.equal(await step.exitCode, 1);
    assert.match(step.log(), new RegExp(`ChaosEngine default/${name} was deleted before its run was over`));
  });

  it('finds its files among the mounts of a container that is not isolated', async (t) => {
    const step = await checker(t, api.client, MANIFEST, '-saveName=/name');
    await setStatus(api.client, await step.engine, 'completed');
    assert.equal(await step.exitCode, 0);
    assert.equal(await readFile(step.savedName, 'utf8'), await step.engine);
  });

  it('goes on when the name cannot be saved', async (t) => {
    const step = await checker(t, api.client, MANIFEST, '-saveName=/does/not/exist/name');
    await setStatus(api.client, await step.engine, 'completed');
    assert.equal(await step.exitCode, 0);
    assert.match(step.log(), /cannot save the engine's name/);
  });

  for (const [what, manifest, said] of [
    [
      'another kind',
      'kind: ChaosResult\nmetadata: { name: a }',
      /holds a ChaosResult; expected a ChaosEngine/,
    ],
    ['no YAML', 'kind: [', /no valid YAML/],
    [
      'an engine that the server refuses',
      MANIFEST.replace('[{ name: pod-delete }]', 'none'),
      /spec.experiments/,
    ],
  ] as const) {
    it(`ends with 1 for ${what}`, async (t) => {
      const step = await checker(t, api.client, manifest);
      assert.equal(await step.exitCode, 1);
      assert.match(step.log(), said);
    });
  }

  it('ends with 1 without a file', async () => {
    assert.equal(
      await runChecker(
        [],
        {},
        { client: api.client, logger: createLogger({ component: 'x', level: 'silent' }) },
      ),
      1,
    );
  });
});

/** A checker under way; the engine's name is what it has logged in Litmus' words. */
async function checker(t: TestContext, client: KubeClient, manifest: string, ...flags: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-checker-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const [file, savedName] = [join(folder, 'engine.yaml'), join(folder, 'name')];
  await writeFile(file, manifest);
  const lines: string[] = [];
  const engine = Promise.withResolvers<string>();
  const logger = createLogger({
    component: 'litmus-checker',
    write: (line) => {
      lines.push(line);
      const found = /ChaosEngine Name : ([\w-]+)/.exec(line)?.[1];
      if (found !== undefined) engine.resolve(found);
    },
  });
  const stop = new AbortController();
  const argv = ['-file=/engine.yaml', ...flags];
  const env = { TURNSOLE_POD_ROOT: folder, TRACE_PARENT };
  const exitCode = runChecker(argv, env, { client, logger, signal: stop.signal });
  return { engine: engine.promise, exitCode, stop, savedName, log: () => lines.join('') };
}

async function setStatus(client: KubeClient, name: string, engineStatus: string): Promise<void> {
  await client.patch(CHAOS_ENGINES, name, 'merge', { status: { engineStatus } }, place);
}
