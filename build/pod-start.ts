import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { loadedAtStart } from './loaded-at-start.ts';

/** Programs whose pods start in every run: each file that they load costs time there. */
const RUNNER = 'src/components/runner/run-runner.ts';
const EXPERIMENT = 'src/experiment/run/main/experiment-main.ts';

/** What a pod of an experiment loads while it runs: all that the experiment loads is there already. Plans load it as well. */
const WITHIN_EXPERIMENT = /^src\/(?:experiment|faults)\//;

/**
 * What to add to the sources so that these programs find what they load in few files. esbuild makes a file for each set of entry points that
 * need the same modules, and each `import()` is an entry point: without this a runner loads 53 files, most of them below 2 kB, and an experiment
 * more. With it, all that needs one of the modules that both programs have in common imports all of these, and what is loaded within an
 * experiment and needs one of its other modules imports all of those, so that their sets are the same. Pure.
 *
 * @param metafile of the bundle without this
 * @param root of the package: an absolute path, which `metafile` leaves out
 * @param started files that are programs themselves: what they load stays as little as it is
 * @returns the text by the absolute path of the file to whose end it is to be added
 * @throws Error when one of the two programs is not in the bundle any more
 */
export function keepPodStartTogether(
  { inputs, outputs }: Metafile,
  root: string,
  started: readonly string[],
): Map<string, string> {
  const ofStarted = new Set(started.flatMap((file) => [...loadedAtStart(inputs, file).keys()]));
  const ofRunner = loadedAtStart(inputs, RUNNER);
  const ofExperiment = [...loadedAtStart(inputs, EXPERIMENT).keys()].filter(
    (file) => file !== EXPERIMENT && !ofStarted.has(file),
  );
  const groups = [
    { modules: ofExperiment.filter((file) => ofRunner.has(file)), within: /^/ },
    { modules: ofExperiment.filter((file) => !ofRunner.has(file)), within: WITHIN_EXPERIMENT },
  ];
  const added = new Map<string, string>();
  for (const { entryPoint = '' } of Object.values(outputs)) {
    if (inputs[entryPoint] === undefined || started.includes(entryPoint)) continue;
    const loaded = loadedAtStart(inputs, entryPoint);
    const imports = groups
      .filter(({ modules, within }) => within.test(entryPoint) && modules.some((file) => loaded.has(file)))
      .flatMap(({ modules }) => modules.map((file) => `import ${JSON.stringify(join(root, file))};\n`));
    if (imports.length > 0) added.set(join(root, entryPoint), `\n${imports.join('')}`);
  }
  return added;
}
