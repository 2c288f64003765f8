/** What the hub of the package offers, the control plane can store and run, and operators take the engines that come of it. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import type { ChaosEngine } from '../../src/api/index.ts';
import { validateEngine } from '../../src/api/validation/index.ts';
import { engineSteps } from '../../src/controlplane/experiment/manifest/engine-steps.ts';
import { prepareRun } from '../../src/controlplane/experiment/manifest/prepare-run.ts';
import { prepareStored } from '../../src/controlplane/experiment/manifest/prepare-stored.ts';
import { readManifest } from '../../src/controlplane/experiment/manifest/read-manifest.ts';

const FILES = globSync('deploy/hub/experiments/*/experiment.yaml').toSorted();
const IDS = { experimentID: 'exp', infraID: 'inf', revisionID: 'rev' };
const RUN = { name: 'run-1700000000000', notifyID: 'notify' };

test('the hub has experiments', () => {
  assert.ok(FILES.length >= 5);
});

for (const file of FILES) {
  test(`${file} is stored and run with all its faults, probes and tags`, () => {
    const text = readFileSync(file, 'utf8');
    const { name } = parse(text).metadata;
    const parameters = parametersOf(text);
    const manifest = readManifest(text, name);
    const stored = prepareStored(manifest, {
      ids: IDS,
      weights: new Map(),
      known: new Map(),
      suffix: () => 'x',
    });
    assert.ok(stored.faults.length > 0);
    assert.deepEqual(
      stored.faults.map(({ probes }) => probes.length > 0),
      stored.faults.map(() => true),
      'each fault has a probe that the project gets to know',
    );

    const kept = new Map(stored.made.map((probe) => [probe.name, probe]));
    const object = prepareRun({ ...manifest, object: stored.object }, { run: RUN, kept });
    const before = engineSteps(manifest);
    const after = engineSteps({ ...manifest, object });
    assert.equal(after.length, before.length);
    for (const [index, { engine }] of after.entries()) {
      const [was, is] = [textOf(before[index]?.engine.object), textOf(engine.object)];
      for (const tag of tagsOf(was)) assert.ok(is.includes(tag), `${tag} is still there`);
      assert.deepEqual(probeNames(is), probeNames(was), 'no probe twice, none lost');
      assert.deepEqual(problemsOf(is, parameters), [], 'an operator takes it');
    }
  });
}

/** Blanks in a tag mean nothing. */
function textOf(engine: unknown): string {
  return JSON.stringify(engine).replaceAll(/\{\{\s*(.*?)\s*\}\}/g, '{{$1}}');
}

function tagsOf(text: string): string[] {
  return text.match(/\{\{.*?\}\}/g) ?? [];
}

function probeNames(text: string): string[] {
  const { spec }: ChaosEngine = JSON.parse(text);
  return spec.experiments.flatMap((one) => (one.spec?.probe ?? []).map(({ name }) => name));
}

/** What is wrong with an engine whose tags have their values, and whose name was made. */
function problemsOf(text: string, parameters: ReadonlyMap<string, string>): string[] {
  const valued = text.replaceAll(/\{\{(.*?)\}\}/g, (_tag, name: string) => parameters.get(name) ?? 'word');
  const engine = JSON.parse(valued);
  engine.metadata.name = `${engine.metadata.generateName}abcde`;
  return validateEngine(engine).map((error) => JSON.stringify(error));
}

/** Values that the workflow gives its parameters, by their tags. */
function parametersOf(text: string): ReadonlyMap<string, string> {
  const { parameters = [] } = parse(text).spec.arguments ?? {};
  return new Map(
    parameters.map(({ name, value }: { name: string; value: unknown }) => [
      `workflow.parameters.${name}`,
      String(value),
    ]),
  );
}
