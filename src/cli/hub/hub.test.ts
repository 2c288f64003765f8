import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { CUSTOM_RESOURCES } from '../../api/crds.ts';
import { validate, validateEngine, validateExperiment } from '../../api/validation/index.ts';
import { faultRegistry, validateFaultEnv } from '../../faults/index.ts';
import { currentHub, HUB } from './generate.ts';

const files = await currentHub();
const documents = files
  .filter(({ path }) => path.endsWith('.yaml'))
  .map(({ path, content }) => ({ path, object: parse(content) }));

test('the hub is what `npm run generate` writes, no more and no less', async () => {
  const entries = await readdir(HUB, { recursive: true, withFileTypes: true });
  const stored = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  assert.deepEqual(stored.toSorted(), files.map(({ path }) => join(HUB, path)).toSorted());
  for (const { path, content } of files) {
    assert.equal(await readFile(join(HUB, path), 'utf8'), content, `${path} is stale: run npm run generate`);
  }
});

test('every fault has a chart, and every chart an icon and a line in its category', () => {
  const charts = documents.filter(({ path }) => path.endsWith('/fault.yaml'));
  assert.deepEqual(
    charts.map(({ object }) => object.metadata.name).toSorted(),
    [...faultRegistry.keys()].toSorted(),
  );
  for (const { path, object } of charts) {
    const { name } = object.metadata;
    const folder = path.split('/').slice(0, 2).join('/');
    const category = documents.find((one) => one.path.startsWith(folder) && one.path.split('/').length === 3);
    assert.ok(
      category?.object.spec.faults.some((fault: { name: string }) => fault.name === name),
      name,
    );
    assert.ok(
      files.some((one) => one.path === `${folder}/icons/${name}.svg`),
      name,
    );
  }
});

test('experiments and engines are valid, and the settings of the engines are those of their fault', async () => {
  const schemaOf = (kind: string) => CUSTOM_RESOURCES.find(({ resource }) => resource.kind === kind)?.schema;
  for (const { path, object } of documents) {
    const schema = schemaOf(object.kind);
    if (schema === undefined) continue;
    assert.deepEqual(validate(schema, object), [], path);
    const problems = object.kind === 'ChaosEngine' ? validateEngine(object) : validateExperiment(object);
    assert.deepEqual(problems, [], path);
    if (object.kind !== 'ChaosEngine') continue;
    const [{ name, spec }] = object.spec.experiments;
    const env = Object.fromEntries(
      spec.components.env.map((one: { name: string; value: string }) => [one.name, one.value]),
    );
    // What the chart takes from a Secret has a value in a run.
    const chart = documents.find((one) => one.path === path.replace('engine.yaml', 'fault.yaml'));
    for (const one of chart?.object.spec.definition.env ?? []) {
      if (one.valueFrom !== undefined) env[one.name] = 'from-a-secret';
    }
    assert.deepEqual(await validateFaultEnv(name, env), [], path);
  }
});

test('no text of the hub says more than it has: every link of the catalogue points into the project', () => {
  const links = documents.flatMap(({ object }) => object.spec?.links ?? []);
  assert.ok(links.length > 40);
  for (const { url } of links) assert.match(url, /^docs\/faults\.md(#[a-z0-9-]+)?$/);
});
