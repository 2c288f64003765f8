import { readFileSync } from 'node:fs';
import { findProgram } from '@turnsole/kube/base/machine';

/** What of a project says how its images are started; paths are relative to its folder. */
export interface ProjectFiles {
  /** Text of a file; undefined where there is none. */
  read(path: string): string | undefined;
  /** Whether this machine has a program. */
  hasProgram(name: string): boolean;
}

/** A command that an image may stand for, and what says so. */
export interface GuessedCommand {
  readonly command: string;
  /** A command of the shell, in the project's folder, without which the command is not there. */
  readonly build?: string;
  readonly source: string;
}

/** Those of the folder in which the command was started. */
export function filesHere(): ProjectFiles {
  return {
    read: (path) => {
      try {
        return readFileSync(path, 'utf8');
      } catch {
        return undefined;
      }
    },
    hasProgram: (name) => findProgram(name, process.env['PATH'] ?? '') !== undefined,
  };
}
