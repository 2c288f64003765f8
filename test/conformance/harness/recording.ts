import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { RecordedStep } from './answer.ts';
import type { Scenario } from './scenario.ts';

/** The answers to one scenario. */
export interface RecordedScenario {
  readonly name: string;
  /** Of the scenario as it was recorded; another digest means that it has to be recorded again. */
  readonly digest: string;
  readonly steps: readonly RecordedStep[];
}

/** A file of recorded answers: those of one theme. */
export interface Recording {
  /** Version of the server that answered. */
  readonly server: string;
  readonly scenarios: readonly RecordedScenario[];
}

/** A short digest of what a scenario asks. */
export function digestOf(scenario: Scenario): string {
  return createHash('sha256').update(JSON.stringify(scenario.steps)).digest('hex').slice(0, 12);
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
