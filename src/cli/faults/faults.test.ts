import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';
import { CUSTOM_RESOURCES } from '../../api/crds.ts';
import { validate, validateExperiment } from '../../api/validation/index.ts';
import { faultRegistry } from '../../faults/index.ts';
import { currentFiles } from './generate.ts';

const BIN = fileURLToPath(new URL('../../../bin/turnsole.js', import.meta.url));

function turnsole(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [BIN, ...args], { encoding: 'utf8' });
}

test('the files about faults are what `npm run generate` writes', async () => {
  for (const [file, text] of await currentFiles()) {
    assert.ok((await readFile(file, 'utf8')) === text, `${file.pathname} is stale: run npm run generate`);
  }
});

test('every fault says what it does and what its settings mean, under its own name', async () => {
  for (const [name, load] of faultRegistry) {
    const fault = await load();
    assert.equal(fault.name, name);
    assert.match(fault.summary, /^[A-Z].*\.$/, name);
    for (const [variable, { description }] of Object.entries(fault.tunables)) {
      assert.match(variable, /^[A-Z][A-Z0-9_]*$/);
      assert.notEqual(description, '', `${name} ${variable}`);
    }
  }
});

test('faults list, in every format', () => {
  const names = [...faultRegistry.keys()];
  const text = turnsole('faults', 'list');
  assert.deepEqual(
    [
      text.status,
      text.stdout
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[0]),
    ],
    [0, names],
  );
  const ofJson: unknown = JSON.parse(turnsole('faults', 'list', '-o', 'json').stdout);
  assert.deepEqual(
    (ofJson as { name: string }[]).map(({ name }) => name),
    names,
  );
  assert.deepEqual(parse(turnsole('faults', 'list', '-o', 'yaml').stdout), ofJson);
});

test('faults show tells settings with form and default, needs and permissions', () => {
  const { status, stdout } = turnsole('faults', 'show', 'pod-delete');
  assert.equal(status, 0);
  assert.match(stdout, /^pod-delete\n {2}.*\.\n {2}pods; in rounds; through the API\n/);
  assert.match(
    stdout,
    /\n {2}TOTAL_CHAOS_DURATION: a whole number of seconds from 1 to 604800; default 30\n {6}How long/,
  );
  assert.match(stdout, /\nCommon settings \(--all describes them\): .*TARGET_PODS/);
  assert.match(stdout, /\n {2}.*delete.* pods/);
  assert.match(
    turnsole('faults', 'show', 'pod-delete', '--all').stdout,
    /\n {2}TARGET_PODS: a list separated by/,
  );
});

test('an unknown fault is bad input, with the one that was probably meant', () => {
  const { status, stderr } = turnsole('faults', 'show', 'pod-deletes');
  assert.equal(status, 2);
  assert.match(stderr, /there is no fault named pod-deletes; did you mean pod-delete\?/);
  assert.match(turnsole('faults', 'show', 'x').stderr, /`turnsole faults list` shows all/);
});

test('faults chart gives a valid ChaosExperiment with its service account and roles', () => {
  const { status, stdout } = turnsole('faults', 'chart', 'container-kill', '-n', 'shop');
  assert.equal(status, 0);
  const objects = parseAllDocuments(stdout).map((document) => document.toJS());
  const kinds = objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`);
  assert.ok(kinds.includes('ServiceAccount shop/container-kill-sa'), kinds.join());
  assert.ok(
    kinds.some((kind) => kind.startsWith('Role ')) && kinds.some((kind) => kind.startsWith('RoleBinding ')),
  );
  const experiment = objects.find(({ kind }) => kind === 'ChaosExperiment');
  const schema = CUSTOM_RESOURCES.find(({ resource }) => resource.kind === 'ChaosExperiment')?.schema;
  assert.ok(schema);
  assert.deepEqual([...validate(schema, experiment), ...validateExperiment(experiment)], []);
});

test('the chart of a fault that acts on all namespaces grants it that', () => {
  const { status, stdout } = turnsole('faults', 'chart', 'node-drain', 'pod-delete', '-n', 'shop');
  assert.equal(status, 0);
  const everywhere = parseAllDocuments(stdout)
    .map((document) => document.toJS())
    .filter(({ kind }) => kind === 'ClusterRole');
  assert.equal(everywhere.length, 1);
  const [{ rules }] = everywhere;
  for (const resource of ['nodes', 'pods', 'pods/eviction']) {
    assert.ok(
      rules.some(({ resources }: { resources: string[] }) => resources.includes(resource)),
      resource,
    );
  }
});
