import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { equalJson } from '@turnsole/kube/text/json';
import type { Answer } from './answers.ts';
import type { Conversation } from './conversation.ts';
import { MANIFESTS } from './manifests.ts';

/** What was answered to one conversation. */
export interface RecordedConversation {
  readonly name: string;
  /** Of the conversation and the manifests as they were; another one means that it has to be recorded again. */
  readonly digest: string;
  /** What each minor version of kubectl printed, by version; a version that printed what the first one did is left out. */
  readonly answers: Readonly<Record<string, readonly Answer[]>>;
}

/** The answers to one theme. */
export interface Recording {
  /** Version of the server, `v1.36.3`. */
  readonly server: string;
  /** Minor versions of kubectl that were asked, `1.36`. */
  readonly clients: readonly string[];
  readonly conversations: readonly RecordedConversation[];
}

/** A short digest of what is said, with the files that it names. */
export function digestOf({ steps, after }: Conversation): string {
  const said = JSON.stringify([steps, after], (_, value) => (value instanceof RegExp ? value.source : value));
  const files = [...MANIFESTS].filter(([name]) => said.includes(name));
  return createHash('sha256').update(said).update(JSON.stringify(files)).digest('hex').slice(0, 12);
}

function fileOf(theme: string): string {
  return join(import.meta.dirname, '../recorded', `${theme}.json`);
}

/** What was recorded of a theme; an empty recording when nothing was. */
export function readRecording(theme: string): Recording {
  const file = fileOf(theme);
  if (!existsSync(file)) return { server: '', clients: [], conversations: [] };
  return JSON.parse(readFileSync(file, 'utf8')) as Recording; // written by writeRecording
}

export function writeRecording(theme: string, recording: Recording): void {
  writeFileSync(fileOf(theme), `${JSON.stringify(recording, null, 1)}\n`);
}

/** What a version of kubectl printed; undefined where none such was asked. Pure. */
export function answersOf(
  { clients }: Recording,
  recorded: RecordedConversation,
  client: string,
): readonly Answer[] | undefined {
  if (!clients.includes(client)) return undefined;
  return recorded.answers[client] ?? Object.values(recorded.answers)[0];
}

/** Answers with those of one more version of kubectl, kept only where they differ from the first one's. Pure. */
export function withAnswers(
  present: RecordedConversation['answers'],
  client: string,
  answers: readonly Answer[],
): RecordedConversation['answers'] {
  const [first] = Object.entries(present);
  if (first === undefined || first[0] === client) return { ...present, [client]: answers };
  const { [client]: _before, ...others } = present;
  return equalJson(first[1], answers) ? others : { ...others, [client]: answers };
}
