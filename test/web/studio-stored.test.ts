/** What the studio makes of a fault of the hub is stored by a real server, and its agent gets it as an order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { Scene } from '../../src/controlplane/experiment/testing/scene.ts';
import { otherDatabase } from '../../src/controlplane/store/testing/databases.ts';
import { EMPTY_DRAFT } from '../../web/models/studio/draft.ts';
import { readFault } from '../../web/models/studio/read-fault.ts';
import { addStep, changeStep } from '../../web/models/studio/steps.ts';
import { newManifest } from '../../web/models/studio/write-draft.ts';
import { FAULT, HUBS } from '../../web/views/hubs/generated/hubs.ts';
import { YAML_FORM } from '../../web/views/studio/yaml-form.ts';

const database = otherDatabase('sqlite', true);

test('what the studio makes is stored and run', {
  skip: database === undefined ? 'no database here' : false,
}, async () => {
  assert.ok(database !== undefined);
  const scene = await Scene.start(database);
  const projectID = scene.project;
  const { listChaosHub } = await scene.data(HUBS.text, { projectID });
  const [hub] = listChaosHub as readonly { id: string }[];
  const request = { projectID, hub: hub?.id, category: 'kubernetes', name: 'pod-delete' };
  const { getChaosFault } = await scene.data(FAULT.text, request);
  const files = getChaosFault as { fault: string; engine: string };
  const fault = readFault('pod-delete', parse(files.fault), parse(files.engine));
  assert.ok(fault.defaults.size > 3 && fault.hasTarget);

  const target = { namespace: 'shop', kind: 'deployment', label: 'app=web' };
  const named = { ...EMPTY_DRAFT, name: '', infraID: scene.agent.infraID };
  const one = changeStep(addStep(named, fault), 'pod-delete', { target, weight: 7 });
  const draft = changeStep(addStep(one, fault), 'pod-delete-2', { isParallel: true });
  for (const [name, cron] of [
    ['on-demand', ''],
    ['nightly', '0 3 * * *'],
  ] as const) {
    const manifest = JSON.stringify(newManifest({ ...draft, name, cron }, YAML_FORM));
    await scene.save(name, { name, manifest });
    await scene.run(name);
    const order = (await scene.orders()).at(-1);
    assert.match(order?.manifest ?? '', /ChaosEngine/);
    assert.match(order?.manifest ?? '', /app=web/);
  }
});
