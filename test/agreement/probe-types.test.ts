/** A probe type is one thing: its descriptor, schema, rules and measure; everything else follows from them. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { parse as parseSchema } from 'graphql';
import { PROBE_TYPES, PROJECT_PROBE_TYPES } from '../../src/api/probe-types/index.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Files that name every type, and why. */
const LISTS: Readonly<Record<string, string>> = {
  'src/api/probe-types/index.ts': 'the list',
  'src/api/schema/probe.ts': 'the schemas of inputs',
  'src/api/validation/probe-inputs.ts': 'the rules of inputs; the compiler asks for each',
  'src/experiment/probes/registry.ts': 'the measures; the compiler asks for each',
  'src/services/language/examples.ts': 'an example of each, for explain and reference',
  'src/runs/as-code/generated/probes.ts': 'generated',
};

test('no other source names all types of probes', async () => {
  const files = globSync(['src/**/*.ts', 'web/**/*.{ts,tsx}', 'packages/*/src/**/*.ts'], { cwd: ROOT });
  const lists: string[] = [];
  for (const file of files.filter((name) => !/\.test\.tsx?$|\/testing\//.test(name))) {
    const text = await readFile(join(ROOT, file), 'utf8');
    if (PROBE_TYPES.every((type) => text.includes(type))) lists.push(file);
  }
  assert.deepEqual(lists.toSorted(), Object.keys(LISTS).toSorted());
});

test("the types of a project are those of ChaosCenter's API", async () => {
  const text = await readFile(join(ROOT, 'src/controlplane/schema/probe.graphql'), 'utf8');
  const values = parseSchema(text).definitions.flatMap((definition) =>
    definition.kind === 'EnumTypeDefinition' && definition.name.value === 'ProbeType'
      ? (definition.values ?? []).map(({ name }) => name.value)
      : [],
  );
  assert.deepEqual(values.toSorted(), [...PROJECT_PROBE_TYPES].toSorted());
});

/** A type that is added to a copy of the sources: its descriptor and its measure. */
const NEW_FILES: Readonly<Record<string, string>> = {
  'src/api/probe-types/echo-probe.ts': `
    import type { ProbeTypeDescriptor } from './descriptor.ts';
    export const echoProbe = {
      name: 'echoProbe', code: 'ECHO', named: 'an echoProbe', measures: 'request', trial: 'always',
      project: { properties: 'echoProperties', word: 'echo', required: { says: '' }, checks: 'an echo' },
    } as const satisfies ProbeTypeDescriptor;`,
  'src/experiment/probes/echo-probe.ts': `
    import { failureCode } from './codes.ts';
    export const createEchoProbe = () => ({
      subject: () => 'echo',
      measure: async (probe) => {
        const { says } = probe['echoProbe/inputs'];
        return says === 'hello'
          ? { outcome: 'passed', description: 'heard hello' }
          : { outcome: 'failure', code: failureCode('echoProbe'), reason: 'heard ' + says, description: 'heard ' + says };
      },
    });`,
};

/** Its lines in the four files that name every type: after which text, and what. */
const NEW_LINES: readonly (readonly [file: string, after: string, line: string])[] = [
  ['src/api/probe-types/index.ts', 'const TYPES = [', 'echoProbe, '],
  [
    'src/api/probe-types/index.ts',
    "import type { ProbeTypeDescriptor } from './descriptor.ts';\n",
    "import { echoProbe } from './echo-probe.ts';\n",
  ],
  [
    'src/api/schema/probe.ts',
    "  'loadProbe/inputs': optional(loadProbeInputsSchema),\n",
    "  'echoProbe/inputs': optional(fields('What an echoProbe says.', { says: text('The word.') })),\n",
  ],
  [
    'src/api/validation/probe-inputs.ts',
    'const RULES: Readonly<Record<ProbeType, (probe: Probe) => FieldError[]>> = {\n',
    "  echoProbe: (probe) => checkInputs(probe, probe['echoProbe/inputs'], ({ says }) =>\n" +
      "    isBlank(says) ? [required(['says'], 'a word')] : []),\n",
  ],
  [
    'src/experiment/probes/registry.ts',
    'const MEASURES: Readonly<Record<ProbeType, () => Promise<ProbeKind>>> = {\n',
    "  echoProbe: async () => (await import('./echo-probe.ts')).createEchoProbe(),\n",
  ],
];

/** Meets the new type in every program that knows types, and prints what each says. */
const USE = `
  import { probeSchema } from './src/api/schema/probe.ts';
  import { problemsOfProbes } from './src/api/validation/probe.ts';
  import { summaryWords } from './src/chaos/probe-words/summary-words.ts';
  import { RESULT_ERRORS } from './src/chaos/errors/result-errors.ts';
  import { endedRunOf } from './src/components/exporter/scope/ended-run.ts';
  import { probeRequest } from './src/components/subscriber/commands/probe-request.ts';
  import { TRIED_BY_DEFAULT } from './src/api/probe-types/index.ts';
  import { keptProbeOf } from './src/controlplane/probe/manifest-probe.ts';
  import { asProbe } from './src/controlplane/probe/probe-answers.ts';
  import { bodyOfRequest } from './src/controlplane/probe/probe-request.ts';
  import { plainFieldError } from '@turnsole/kube/schema/field-error';
  import { systemClock } from '@turnsole/kube/base/clock';

  const entry = (says) => ({
    name: 'p', type: 'echoProbe', mode: 'SOT', runProperties: { probeTimeout: '2s', interval: '1s' },
    'echoProbe/inputs': { says },
  });
  const problems = (probe) => problemsOfProbes([probe]).flat().map(plainFieldError);
  const agent = probeRequest({
    client: undefined, clock: systemClock, allowed: new Set(TRIED_BY_DEFAULT), refusalOf: () => undefined,
  });
  const tried = async (says) => {
    const { outcome, text, code } = await agent({ probe: entry(says) }, new AbortController().signal);
    return { outcome, text, code };
  };
  const none = { measurements: 0, failed: 0 };
  const summary = { injected: '2026-01-01T00:00:00.000Z', before: none, during: { measurements: 3, failed: 0 }, after: none };
  const { type, body } = keptProbeOf(entry('hello'));
  const row = {
    project_id: 'x', name: 'p', type, body: JSON.stringify(body), description: '', tags: '[]', executions: 0,
    created_at: 0, updated_at: 0,
  };
  process.stdout.write(JSON.stringify({
    schema: probeSchema.properties.type.enum.includes('echoProbe'),
    validated: [problems(entry('hello')), problems(entry('')), problems({ ...entry('x'), 'echoProbe/inputs': undefined })],
    measured: [await tried('hello'), await tried('bye')],
    catalogue: [RESULT_ERRORS.ECHO_PROBE_ERROR.means, RESULT_ERRORS.ECHO_PROBE_FAILURE.means],
    reported: summaryWords(summary, 'echoProbe'),
    exported: endedRunOf({ probeStatuses: [{ type: 'echoProbe', status: { verdict: 'Passed' } }] }, 'Pass', '').probes,
    requested: bodyOfRequest({ name: 'p', type: 'echoProbe', echoProperties: { says: 'hello' } })['echoProbe/inputs'],
    shown: asProbe(row).echoProperties.says,
  }));`;

let copy = '';
before(async () => {
  copy = await mkdtemp(join(tmpdir(), 'turnsole-probe-type-'));
  await cp(join(ROOT, 'src'), join(copy, 'src'), { recursive: true });
  await cp(join(ROOT, 'package.json'), join(copy, 'package.json'));
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
});
after(() => rm(copy, { recursive: true, force: true }));

test('a new type is known everywhere by its descriptor, schema, rules and measure', async () => {
  for (const [file, text] of Object.entries(NEW_FILES)) await writeFile(join(copy, file), text);
  for (const [file, place, line] of NEW_LINES) {
    const text = await readFile(join(copy, file), 'utf8');
    assert.ok(text.includes(place), `${file} has no ${place}`);
    await writeFile(
      join(copy, file),
      text.replace(place, () => place + line),
    );
  }
  await writeFile(join(copy, 'use.ts'), USE);
  const { stdout } = await promisify(execFile)(process.execPath, ['use.ts'], { cwd: copy, timeout: 60_000 });
  assert.deepEqual(JSON.parse(stdout), {
    schema: true,
    validated: [
      [],
      ['["echoProbe/inputs"].says: Required value: a word'],
      ['["echoProbe/inputs"]: Required value: a probe of type echoProbe needs its inputs here'],
    ],
    measured: [
      { outcome: 'Passed', text: 'heard hello', code: null },
      { outcome: 'Failed', text: 'heard bye', code: 'ECHO_PROBE_FAILURE' },
    ],
    catalogue: ['an echoProbe could not be evaluated', 'the condition of an echoProbe is not met'],
    reported: 'none of 3 requests failed',
    exported: [{ type: 'echoProbe', verdict: 'Passed' }],
    requested: { says: 'hello' },
    shown: 'hello',
  });
});
