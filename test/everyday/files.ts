import { globSync } from 'node:fs';
import { pureFiles } from './pure-files.ts';
import { userFiles } from './user-files.ts';

/** The files of the everyday suite, by how they are run; each list in the order in which its files begin. */
export interface EverydayFiles {
  /** Together in one process. */
  readonly pure: readonly string[];
  /** Each in a process of its own, several at a time. */
  readonly apart: readonly string[];
  /** Nothing else meanwhile. */
  readonly alone: readonly string[];
}

/** Those that run whole commands and watch faults take longest and mostly wait: whatever begins later fills their pauses. */
const LONG_FIRST = ['test/faults/', 'test/e2e/', 'test/crash/', 'test/', 'src/'];

/** The files there are. */
export function everydayFiles(): EverydayFiles {
  const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts']).toSorted();
  const pure = pureFiles(files);
  const place = (file: string): number => LONG_FIRST.findIndex((folder) => file.startsWith(folder));
  const apart = files.filter((file) => !pure.includes(file)).toSorted((a, b) => place(a) - place(b));
  return { pure, apart, alone: globSync('test/**/*.alone.ts').toSorted() };
}

/** Those that may come out otherwise for another user than the one who has run all of them. */
export function filesOfTheUser(): EverydayFiles {
  const { pure, apart, alone } = everydayFiles();
  return { pure: [], apart: userFiles([...apart, ...pure]), alone: userFiles(alone) };
}
