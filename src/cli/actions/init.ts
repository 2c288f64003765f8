import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { ImageEntry } from '@turnsole/cluster/node/images/image-entry';
import { knownImage } from '../../embedded/known-image.ts';
import { packageVersion } from '../../process/version.ts';
import { type ClusterOptions, meansExisting, onExisting } from '../../runs/session/open-cluster.ts';
import { CommandError } from '../../services/errors.ts';
import { BUILT } from '../../services/init/compiled-programs.ts';
import { withExposedPorts } from '../../services/init/exposed-ports.ts';
import { findManifests } from '../../services/init/find-manifests.ts';
import { guessCommand } from '../../services/init/guess-command.ts';
import { firstExperiments, missingImages, type PlannedFile } from '../../services/init/plan-files.ts';
import { filesHere, type GuessedCommand } from '../../services/init/project-files.ts';
import { projectText } from '../../services/init/project-text.ts';
import { compileInstallSettings } from '../../services/install/settings.ts';
import { PROJECT_FILE } from '../../services/project/read-project.ts';
import { type Application, applicationIn, applicationOf } from '../../services/propose/application.ts';
import { loadFault } from '../faults/load-fault.ts';

/** Options of `turnsole init`, as the command line gives them. */
export interface InitOptions extends ClusterOptions {
  readonly fault: string;
  /** Folder for the experiments. */
  readonly folder: string;
  /** Takes what is proposed, also on a terminal. */
  readonly yes?: boolean;
  /** Writes over files that exist. */
  readonly force?: boolean;
}

/** Asks a question; gives the answer, or what is proposed where that is accepted. */
type Ask = (question: string, proposed: string) => Promise<string>;

/** Writes turnsole.yaml and the first experiments of an application. */
export async function run(named: readonly string[], options: InitOptions): Promise<number> {
  const fault = await loadFault(options.fault);
  const isExisting = meansExisting(options);
  const manifests = isExisting ? undefined : await findManifests(process.cwd(), named);
  if (isExisting && named.length > 0)
    throw new CommandError(
      '--kubeconfig reads the application of the cluster; leave out the files',
      'OPTION_INVALID',
    );
  const application =
    manifests === undefined
      ? await onExisting(options, ({ client, namespace }) => applicationIn(client, namespace))
      : withExposedPorts(applicationOf(manifests.objects, options.namespace ?? 'default'), filesHere());
  if (application.workloads.length === 0)
    throw new CommandError(
      'the namespace has no Deployment, StatefulSet or DaemonSet; name another one by --namespace',
      'NOT_FOUND',
    );
  for (const note of manifests?.notes ?? []) console.log(`note: ${note}`);
  const images =
    manifests === undefined ? new Map<string, ImageCommand>() : await commandsOf(application, options);
  const build = [...new Set([...images.values()].flatMap((one) => one.build ?? []))];
  const { settings: install } = compileInstallSettings({}, { version: packageVersion(), faults: [] });
  const first = firstExperiments({
    application,
    fault,
    folder: options.folder,
    place: { hasFault: false, install },
  });
  const project: PlannedFile = {
    path: PROJECT_FILE,
    title: 'the project: what run, plan and up need to know',
    text: projectText({
      manifests: manifests?.paths ?? [],
      experiments: [options.folder],
      namespace: options.namespace,
      images: new Map([...images].map(([name, { command }]) => [name, command])),
      build,
    }),
  };
  await write([project, ...first.files], options);
  for (const note of first.notes) console.log(`note: ${note}`);
  const open = [...images].filter(([, { command }]) => command === undefined).map(([name]) => name);
  if (open.length > 0)
    console.log(
      `note: nothing says what ${open.join(' and ')} ${open.length === 1 ? 'stands' : 'stand'} for: write the command into ${PROJECT_FILE}, or begin again with --image ${open[0]}=COMMAND --force`,
    );
  if (build.some((command) => command.includes(BUILT)))
    console.log(`note: what is built lies in ${BUILT}; add it to .gitignore`);
  const cluster = (['kubeconfig', 'context'] as const)
    .flatMap((name) => (options[name] === undefined ? [] : [` --${name} ${options[name]}`]))
    .join('');
  console.log(`next: turnsole run${cluster}`);
  return 0;
}

/** What an image stands for; without a command nothing says it. */
type ImageCommand = Partial<Pick<GuessedCommand, 'command' | 'build'>>;

/** The command that each image stands for: that of the command line, of the user, or the guessed one. */
async function commandsOf(
  { workloads }: Application,
  { image: given = new Map<string, ImageEntry>(), yes }: InitOptions,
): Promise<ReadonlyMap<string, ImageCommand>> {
  const missing = missingImages(workloads, knownImage());
  const isAsked = yes !== true && process.stdin.isTTY === true && process.stdout.isTTY === true;
  const files = filesHere();
  const commands = new Map<string, ImageCommand>();
  const terminal = isAsked ? createInterface({ input: process.stdin, output: process.stdout }) : undefined;
  const ask: Ask | undefined =
    terminal === undefined
      ? undefined
      : async (question, proposed) =>
          (await terminal.question(`${question}${proposed === '' ? '' : ` [${proposed}]`}: `)).trim() ||
          proposed;
  try {
    for (const [name, { hasOwnCommand }] of missing) {
      const own = given.get(name)?.entrypoint.join(' ');
      const guess = hasOwnCommand ? undefined : guessCommand(name, files);
      // Its containers say their own command.
      const proposed = own ?? (hasOwnCommand ? '' : guess?.command);
      const answer =
        own !== undefined || hasOwnCommand || ask === undefined
          ? proposed
          : (await ask(`command that image ${name} stands for`, proposed ?? '')) || undefined;
      const isGuessed = answer !== undefined && answer === guess?.command;
      commands.set(name, {
        ...(answer !== undefined && { command: answer }),
        ...(isGuessed && guess?.build !== undefined && { build: guess.build }),
      });
      if (!isGuessed) continue;
      const built = guess?.build === undefined ? '' : `, built by ${guess.build}`;
      console.log(`image ${name}: ${answer} (by ${guess?.source}${built})`);
    }
  } finally {
    terminal?.close();
  }
  return commands;
}

/** Writes all files, or none where one of them exists. */
async function write(files: readonly PlannedFile[], { force }: InitOptions): Promise<void> {
  const there = files.map(({ path }) => path).filter((path) => existsSync(path));
  if (there.length > 0 && force !== true)
    throw new CommandError(
      `${there.join(', ')} exist${there.length === 1 ? 's' : ''}; --force writes over`,
      'OPTION_INVALID',
    );
  for (const { path, text, title } of files) {
    await mkdir(dirname(join(process.cwd(), path)), { recursive: true });
    await writeFile(path, text);
    console.log(`${path}: ${title}`);
  }
}
