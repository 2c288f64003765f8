import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { loadedAtStart } from './loaded-at-start.ts';

/** Programs whose pods start in every run: each file that they load costs time there. */
const PROGRAMS = ['src/components/runner/run-runner.ts', 'src/experiment/run/main/experiment-main.ts'];

/**
 * What to add to the sources so that these programs find in one file what they have in common. esbuild makes a file for each set of entry
 * points that need the same modules, and each `import()` is an entry point: without this a runner loads 53 files, most of them below 2 kB.
 * With it, all that is loaded by `import()` and needs one of the common modules imports all of them, so that their sets are the same. Pure.
 *
 * @param metafile of the bundle without this
 * @param root of the package: an absolute path, which `metafile` leaves out
 * @param started files that are programs themselves: what they load stays as little as it is
 * @returns the text by the absolute path of the file to whose end it is to be added
 * @throws Error when a program is not in the bundle any more
 */
export function keepPodStartTogether(
  { inputs, outputs }: Metafile,
  root: string,
  started: readonly string[],
): Map<string, string> {
  const ofStarted = new Set(started.flatMap((file) => [...loadedAtStart(inputs, file).keys()]));
  const [first, ...others] = PROGRAMS.map((file) => loadedAtStart(inputs, file));
  const common = [...(first?.keys() ?? [])].filter(
    (file) => !ofStarted.has(file) && others.every((loaded) => loaded.has(file)),
  );
  const asked = Object.values(outputs)
    .flatMap(({ entryPoint = '' }) => (inputs[entryPoint] === undefined ? [] : [entryPoint]))
    .filter((file) => {
      const loaded = loadedAtStart(inputs, file);
      return !started.includes(file) && common.some((module) => loaded.has(module));
    });
  const imports = common.map((file) => `import ${JSON.stringify(join(root, file))};\n`);
  return new Map(asked.map((file) => [join(root, file), `\n${imports.join('')}`]));
}
