import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ImageEntry } from '@turnsole/cluster/node/images/image-entry';
import { type ClusterOptions, meansExisting } from '../runs/session/open-cluster.ts';
import { buildImages } from '../services/project/build-images.ts';
import { PROJECT_FILE, type Project, readProject } from '../services/project/read-project.ts';
import { imageEntry, parseDurationOption } from './options.ts';

/** Options that say which file describes the project. */
export interface ProjectOptions {
  /** The file; false: none. @default turnsole.yaml of the present folder, where there is one */
  readonly config?: string | false;
}

/** Options that a project may say in the place of the command line. */
type Replaceable = Pick<ClusterOptions, 'namespace' | 'image' | 'nodes' | 'isolation'> & {
  readonly readyTimeout?: number;
  readonly timeout?: number;
};

/** Each file is read once in a command. */
const opened = new Map<string, Promise<Project>>();

/** The project that the options mean; undefined where there is none. @throws BadInputError */
export async function openProject({ config }: ProjectOptions): Promise<Project | undefined> {
  if (config === false || (config === undefined && !existsSync(PROJECT_FILE))) return undefined;
  const file = config ?? PROJECT_FILE;
  const project = opened.get(resolve(file)) ?? readProject(file);
  opened.set(resolve(file), project);
  return project;
}

/**
 * The options with what the project says where the command line says nothing. Pure.
 *
 * @param isGiven whether an option stands on the command line, and is no default
 */
export function withProject<T extends Replaceable>(
  options: T,
  project: Project | undefined,
  isGiven: (option: string) => boolean,
): T {
  if (project === undefined) return options;
  const { settings, folder } = project;
  const { images = {}, readyTimeout, timeout, namespace, nodes, isolation } = settings;
  const said: Replaceable = {
    ...(namespace !== undefined && { namespace }),
    ...(nodes !== undefined && { nodes }),
    ...(isolation !== undefined && { isolation }),
    ...(readyTimeout !== undefined && { readyTimeout: parseDurationOption(readyTimeout) }),
    ...(timeout !== undefined && { timeout: parseDurationOption(timeout) }),
  };
  const taken = Object.fromEntries(Object.entries(said).filter(([name]) => !isGiven(name)));
  const own = Object.entries(images).map(([name, command]): [string, ImageEntry] => [
    name,
    imageEntry(command, folder),
  ]);
  const image = new Map([...own, ...(options.image ?? [])]);
  return { ...options, ...taken, ...(image.size > 0 && { image }) };
}

/**
 * Runs the project's build, where an embedded cluster is going to start what it makes.
 *
 * @throws CommandError when a command of it fails
 */
export async function buildFor(
  project: Project | undefined,
  options: ClusterOptions,
  progress: { step(message: string): void },
  signal: AbortSignal,
): Promise<void> {
  if (project?.settings.build === undefined || meansExisting(options)) return;
  await buildImages(project, { signal, onCommand: (command) => progress.step(`build: ${command}`) });
}
