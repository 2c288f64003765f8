import { findProgram, isExecutable } from '@turnsole/kube/base/machine';
import type { Container } from '@turnsole/kube/kinds/core';
import { expandVariables } from '../env/expand.ts';
import type { ImageEntry } from './image-entry.ts';

/**
 * Gives the command line of a container; pure. `command` replaces the image's entry point and drops its arguments,
 * `args` replaces the arguments (API reference: Container.command, Container.args).
 */
export function containerCommand(
  container: Pick<Container, 'command' | 'args'>,
  image: Pick<ImageEntry, 'entrypoint' | 'args'>,
  variables: ReadonlyMap<string, string>,
): string[] {
  const expand = (words: readonly string[]): string[] =>
    words.map((word) => expandVariables(word, variables));
  const { command = [], args = [] } = container;
  if (command.length > 0) return expand([...command, ...args]);
  return [...image.entrypoint, ...(args.length > 0 ? expand(args) : (image.args ?? []))];
}

/** Shells that charts name by path although the host may keep them elsewhere or have only another. */
const SHELL_PATHS = /^\/(?:usr\/)?(?:local\/)?bin\/(?:ba|a|da|)sh$/;

/**
 * Gives the command with its program where this host has it: a shell that is not at the path a chart names is taken
 * from `searchPath`, or `/bin/sh` stands in for it. Everything else stays as it is.
 */
export function locateShell(
  command: readonly string[],
  searchPath: string,
  exists: (path: string) => boolean = isExecutable,
): string[] {
  const [program = '', ...args] = command;
  if (!SHELL_PATHS.test(program) || exists(program)) return [...command];
  const name = program.slice(program.lastIndexOf('/') + 1);
  return [findProgram(name, searchPath, exists) ?? '/bin/sh', ...args];
}
