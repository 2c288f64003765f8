/** What programs load when they start. Faults, plans and other programs are loaded by those who ask for them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { build } from 'esbuild';
import { loadedAtStart } from '../../build/loaded-at-start.ts';

/** Program, and folders of which its start loads nothing. */
const PROGRAMS: readonly (readonly [program: string, without: readonly string[]])[] = [
  [
    'src/cli/main.ts',
    [
      'src/components',
      'src/controlplane',
      'src/experiment',
      'src/faults',
      'packages/cluster/src',
      'src/services',
    ],
  ],
  [
    'src/controlplane/server/run-server.ts',
    [
      'src/components',
      'src/faults',
      'packages/cluster/src',
      'src/services/plan',
      'packages/workflows/src/engine',
    ],
  ],
  [
    'src/components/runner/run-runner.ts',
    ['src/experiment', 'src/faults', 'packages/cluster/src', 'src/services'],
  ],
];

/** What is not followed: all packages but those of the project itself. */
const EXTERNAL = Object.entries(JSON.parse(readFileSync('package.json', 'utf8')) as object)
  .filter(([field]) => /^(?:devD|d)ependencies$/.test(field))
  .flatMap(([, packages]) => Object.keys(packages as object))
  .filter((name) => !name.startsWith('@turnsole/'));

for (const [program, without] of PROGRAMS) {
  test(`${program} starts without ${without.join(', ')}`, async () => {
    const { metafile } = await build({
      entryPoints: [program],
      bundle: true,
      external: EXTERNAL,
      format: 'esm',
      platform: 'node',
      outdir: 'none',
      write: false,
      metafile: true,
    });
    const loaded = loadedAtStart(metafile.inputs, program);
    assert.ok(loaded.size > 1, 'it loads something');
    const wrong = [...loaded].filter(([file]) => without.some((folder) => file.startsWith(`${folder}/`)));
    assert.deepEqual(
      wrong.map(([file, by]) => `${file}, which ${by} imports`),
      [],
    );
  });
}
