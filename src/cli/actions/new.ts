import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ChaosEngine } from '../../api/index.ts';
import { meansExisting } from '../../runs/session/open-cluster.ts';
import { CommandError } from '../../services/errors.ts';
import { PROBE_EXAMPLES } from '../../services/language/examples.ts';
import { scheduleOf } from '../../services/language/schedule-of.ts';
import { loadManifests } from '../../services/manifests/load.ts';
import { objectsText } from '../../services/manifests/yaml-text.ts';
import { projectPaths } from '../../services/project/project-paths.ts';
import { openProject, type ProjectOptions, withProject } from '../project.ts';
import { type ProposedOptions, proposeExperiment, saveProposed } from '../proposed-run.ts';

/** Options of `turnsole new experiment`, as the command line gives them. */
export type NewExperimentOptions = ProposedOptions & ProjectOptions;

/** Options of `turnsole new schedule`. */
export interface NewScheduleOptions {
  /** Milliseconds. */
  readonly every: number;
}

/** Folder for experiments where the project names none. */
const FOLDER = 'chaos';

/** Writes an experiment into a new file. */
export async function experiment(
  named: readonly string[],
  given: NewExperimentOptions,
  isGiven: (option: string) => boolean,
): Promise<number> {
  const project = await openProject(given);
  const options = withProject(given, project, isGiven);
  if (options.fault === undefined)
    throw new CommandError('--fault is missing: "turnsole faults list" shows all', 'OPTION_INVALID');
  const how = { named, isExisting: meansExisting(options), isProposed: true };
  const { paths } = projectPaths(project, how, process.cwd());
  const step = (message: string): void => console.log(`note: ${message}`);
  const context = { progress: { step }, signal: new AbortController().signal };
  const { proposed } = await proposeExperiment(paths, { ...options, fault: options.fault }, context);
  const folder = project?.settings.experiments?.[0] ?? FOLDER;
  const isFile = /\.ya?ml$/i.test(folder);
  const file =
    options.save ?? join(project?.folder ?? '.', isFile ? dirname(folder) : folder, `${proposed.name}.yaml`);
  await mkdir(dirname(file), { recursive: true });
  await saveProposed(file, proposed.text);
  console.log(
    `${file}: ${options.fault}${proposed.urls.length === 0 ? '' : `, while ${proposed.urls.join(', ')} is asked`}`,
  );
  console.log(`next: ${nextCommand(file, { project, paths, ...options })}`);
  return 0;
}

/** What runs an experiment of a file: with the manifests of its application, unless turnsole.yaml or a cluster has them. */
function nextCommand(
  file: string,
  {
    project,
    paths,
    kubeconfig,
  }: {
    readonly project: unknown;
    readonly paths: readonly string[];
    readonly kubeconfig?: string | undefined;
  },
): string {
  const of = project === undefined && kubeconfig === undefined ? [...paths, file] : [file];
  const on = kubeconfig === undefined ? [] : ['--kubeconfig', kubeconfig];
  return ['turnsole', 'run', ...of, ...on].join(' ');
}

/** Prints a probe as an item of a list; what to do with it stands beside it, so that the output can be written into a file. */
export function probe(type: string): number {
  const text = (PROBE_EXAMPLES as Readonly<Record<string, string>>)[type] ?? '';
  console.log(text.trimEnd().replaceAll(/^/gm, '  ').replace('  ', '- '));
  console.error(
    `next: put it into the list spec.experiments[].spec.probe of an engine; "turnsole explain ${type}" says what each field means`,
  );
  return 0;
}

/** Prints a schedule of the one engine of a file. */
export async function schedule(file: string, { every }: NewScheduleOptions): Promise<number> {
  const engines = (await loadManifests([file])).filter(({ object }) => object.kind === 'ChaosEngine');
  const [engine] = engines;
  if (engine === undefined || engines.length > 1)
    throw new CommandError(`${file}: expected one ChaosEngine, found ${engines.length}`, 'OPTION_INVALID');
  const found = scheduleOf(engine.object as ChaosEngine, every);
  if (found === undefined)
    throw new CommandError(
      '--every: expected whole minutes or hours, up to a year, such as 30m or 6h',
      'OPTION_INVALID',
    );
  console.log(objectsText([found], 'yaml'));
  console.error(
    `next: write it into a file (> schedule.yaml); "kubectl apply -f schedule.yaml" starts it where an operator runs, "turnsole run schedule.yaml" runs its next occurrence at once`,
  );
  return 0;
}
