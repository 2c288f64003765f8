import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Shown } from './scenario.ts';

/** What one scenario showed on the recorded cluster. */
export interface RecordedOutcome {
  readonly name: string;
  /** Of the scenario as it was recorded; another digest means that it has to be recorded again. */
  readonly digest: string;
  readonly shown: readonly Shown[];
}

/** A file of recorded outcomes: those of one theme. */
export interface Recording {
  /** Version of the cluster. */
  readonly server: string;
  readonly scenarios: readonly RecordedOutcome[];
}

function fileOf(theme: string): string {
  return fileURLToPath(new URL(`../recorded/${theme}.json`, import.meta.url));
}

/** What was recorded of a theme; an empty recording when nothing was. */
export function readRecording(theme: string): Recording {
  const file = fileOf(theme);
  if (!existsSync(file)) return { server: '', scenarios: [] };
  return JSON.parse(readFileSync(file, 'utf8')) as Recording; // written by writeRecording
}

export function writeRecording(theme: string, recording: Recording): void {
  writeFileSync(fileOf(theme), `${JSON.stringify(recording, null, 2)}\n`);
}
