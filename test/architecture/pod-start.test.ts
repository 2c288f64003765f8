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

test('entry points that need a module which both programs load get it; modules of other programs stay where they are', () => {
  const metafile = bundleOf({
    main: ['flags', `?${RUNNER}`, `?${EXPERIMENT}`, '?plan', '?fault', '?text'],
    [RUNNER]: ['client', 'flags'],
    [EXPERIMENT]: ['client', 'result'],
    client: ['errors'],
    plan: ['client'],
    fault: ['errors'],
    text: [],
    loader: ['errors', 'spin', '?fault'],
    spin: [],
    errors: [],
    flags: [],
    result: [],
  });
  const added = keepPodStartTogether(metafile, '/package', ['main', 'loader']);
  assert.deepEqual(
    new Set(added.keys()),
    new Set([RUNNER, EXPERIMENT, 'plan'].map((file) => `/package/${file}`)),
  );
  assert.deepEqual([...new Set(added.values())], ['\nimport "/package/client";\n']);
});

test('a program that is not in the bundle is named', () => {
  assert.throws(
    () => keepPodStartTogether(bundleOf({ main: [] }), '/package', ['main']),
    /run-runner\.ts is not/,
  );
});
