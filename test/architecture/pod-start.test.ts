/** How the bundle keeps in one file what programs of pods have in common (build/pod-start.ts). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Metafile } from 'esbuild';
import { keepPodStartTogether } from '../../build/pod-start.ts';

const RUNNER = 'src/components/runner/run-runner.ts';
const EXPERIMENT = 'src/experiment/run/main/experiment-main.ts';

/** A bundle of files that import others; with `?` those that are asked for by `import()`, which are entry points. */
function bundleOf(files: Readonly<Record<string, readonly string[]>>): Metafile {
  const asked = Object.values(files)
    .flat()
    .filter((path) => path.startsWith('?'))
    .map((path) => path.slice(1));
  return {
    inputs: Object.fromEntries(
      Object.entries(files).map(([file, paths]) => [
        file,
        {
          bytes: 1,
          imports: paths.map((path) =>
            path.startsWith('?')
              ? { path: path.slice(1), kind: 'dynamic-import' as const }
              : { path, kind: 'import-statement' as const },
          ),
        },
      ]),
    ),
    outputs: Object.fromEntries(
      asked.map((entryPoint) => [
        `dist/${entryPoint}`,
        { bytes: 1, inputs: {}, imports: [], exports: [], entryPoint },
      ]),
    ),
  };
}

/** The imports that are added, by file. */
function added(files: Readonly<Record<string, readonly string[]>>, started: readonly string[]) {
  return Object.fromEntries(
    [...keepPodStartTogether(bundleOf(files), '/package', started)].map(([file, text]) => [
      file.replace('/package/', ''),
      [...text.matchAll(/"\/package\/(.+)"/g)].map(([, module]) => module),
    ]),
  );
}

test('entry points that need a module which both programs load get all of these; modules of other programs stay where they are', () => {
  const files = {
    main: ['flags', `?${RUNNER}`, `?${EXPERIMENT}`, '?plan', '?text'],
    [RUNNER]: ['client', 'watch', 'flags'],
    [EXPERIMENT]: ['client', 'watch'],
    client: ['errors'],
    watch: [],
    plan: ['client'],
    text: ['errors'],
    loader: ['errors', 'spin'],
    spin: [],
    errors: [],
    flags: [],
  };
  assert.deepEqual(added(files, ['main', 'loader']), {
    [RUNNER]: ['client', 'watch'],
    [EXPERIMENT]: ['client', 'watch'],
    plan: ['client', 'watch'],
  });
});

test('what is loaded within an experiment gets all that only the experiment loads', () => {
  const files = {
    main: [`?${RUNNER}`, `?${EXPERIMENT}`, '?plan'],
    [RUNNER]: ['client'],
    [EXPERIMENT]: ['client', 'result', 'probes', '?src/faults/kill', '?src/faults/none'],
    'src/faults/kill': ['result'],
    'src/faults/none': [],
    plan: ['probes'],
    client: [],
    result: [],
    probes: [],
  };
  assert.deepEqual(added(files, ['main']), {
    [RUNNER]: ['client'],
    [EXPERIMENT]: ['client', 'result', 'probes'],
    'src/faults/kill': ['result', 'probes'],
  });
});

test('a program that is not in the bundle is named', () => {
  assert.throws(
    () => keepPodStartTogether(bundleOf({ main: [] }), '/package', ['main']),
    /run-runner\.ts is not/,
  );
});
