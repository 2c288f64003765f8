import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ChaosEngine } from '../../api/index.ts';
import type { InputProblem } from '../errors.ts';
import { parseManifests } from '../manifests/load.ts';
import { checkManifests } from '../manifests/validate.ts';
import { KIND_EXAMPLES, PROBE_EXAMPLES } from './examples.ts';
import { findTopic, topicNames } from './explain.ts';
import { scheduleOf } from './schedule-of.ts';

function problemsOf(text: string): readonly InputProblem[] {
  const problems: InputProblem[] = [];
  const manifests = parseManifests('example', text, problems);
  const { problems: found, warnings } = checkManifests(manifests);
  return [...problems, ...found, ...warnings.map((one) => ({ ...one, code: 'FIELD_UNKNOWN' as const }))];
}

describe('examples of the language', () => {
  for (const [kind, text] of Object.entries(KIND_EXAMPLES))
    it(`${kind} is valid`, () => assert.deepEqual(problemsOf(text), []));
  for (const [type, text] of Object.entries(PROBE_EXAMPLES))
    it(`${type} is valid`, () => {
      const probe = text.replaceAll(/^/gm, '            ').replace('            ', '          - ');
      const engine = `${KIND_EXAMPLES.ChaosEngine.split('        probe:')[0]}        probe:\n${probe}`;
      assert.deepEqual(problemsOf(engine), []);
    });
});

describe('what a name means', () => {
  const known: [text: string, path: string][] = [
    ['ChaosEngine', 'ChaosEngine'],
    ['chaosengine.spec.Execution', 'ChaosEngine.spec.execution'],
    ['httpProbe', 'ChaosEngine.spec.experiments.spec.probe.httpProbe/inputs'],
    ['httpprobe.method.get', 'ChaosEngine.spec.experiments.spec.probe.httpProbe/inputs.method.get'],
    ['runProperties.attempt', 'ChaosEngine.spec.experiments.spec.probe.runProperties.attempt'],
    ['modes', 'ChaosEngine.spec.experiments.spec.probe.mode'],
    ['spec', ''],
    ['ChaosEngine.spec.experiments[0].name', 'ChaosEngine.spec.experiments.name'],
    ['turnsole.yaml', 'turnsole.yaml'],
    ['verdict', 'ChaosResult.status.experimentStatus.verdict'],
  ];
  for (const [text, path] of known)
    it(text, () => {
      if (path === '') assert.throws(() => findTopic(text), /nothing is known of spec/);
      else assert.equal(findTopic(text).path, path);
    });
  it('proposes what was probably meant', () => {
    assert.throws(() => findTopic('htpProbe'), /did you mean httpProbe\?/);
    assert.throws(
      () => findTopic('ChaosEngine.spec.experimets'),
      /ChaosEngine\.spec has no field experimets; did you mean experiments\?/,
    );
    assert.throws(() => findTopic('constructor'), /nothing is known of constructor/);
  });
  it('every name is known', () => {
    for (const name of topicNames()) assert.ok(findTopic(name).path, name);
  });
});

describe('a schedule of an engine', () => {
  const engine = { metadata: { name: 'e' }, spec: { experiments: [] } } as unknown as ChaosEngine;
  const cases: [minutes: number, interval: object | undefined][] = [
    [30, { minute: { everyNthMinute: 30 } }],
    [120, { hour: { everyNthHour: 2 } }],
    [90, { minute: { everyNthMinute: 90 } }],
    [0.5, undefined],
    [8_761 * 60, undefined],
  ];
  for (const [minutes, interval] of cases)
    it(`every ${minutes} minutes`, () => {
      const found = scheduleOf(engine, minutes * 60_000)?.spec?.schedule?.repeat?.properties;
      assert.deepEqual(found?.minChaosInterval, interval);
    });
});
