import { relative, resolve } from 'node:path';
import type { Project } from './read-project.ts';

/** The files and folders that a command reads, and what of the project it leaves. */
interface ProjectPaths {
  readonly paths: readonly string[];
  /** Manifests of the application that are not read, as its cluster has it. */
  readonly left: readonly string[];
}

/** What a command line is about. */
interface PathInput {
  /** Files and folders of the command line. */
  readonly named: readonly string[];
  /** Whether the command works on a cluster that was there before. */
  readonly isExisting: boolean;
  /** Whether the experiment stands on the command line: then only the application is read. */
  readonly isProposed: boolean;
}

/**
 * The manifests of a command in a project: those of the application, and the experiments that the command line names, or else all of the
 * project. Pure. @param folder in which the command was started
 */
export function projectPaths(
  project: Project | undefined,
  { named, isExisting, isProposed }: PathInput,
  folder: string,
): ProjectPaths {
  if (project === undefined) return { paths: named, left: [] };
  const { manifests = [], experiments = [] } = project.settings;
  const shown = (path: string): string => relative(folder, resolve(project.folder, path)) || '.';
  const application = manifests.map(shown);
  if (isProposed && named.length > 0) return { paths: named, left: [] };
  const others = isProposed ? [] : named.length > 0 ? named : experiments.map(shown);
  const own = isExisting ? [] : application;
  const known = own.map((path) => resolve(folder, path));
  return {
    paths: [...own, ...others.filter((path) => !known.includes(resolve(folder, path)))],
    left: isExisting ? application : [],
  };
}
