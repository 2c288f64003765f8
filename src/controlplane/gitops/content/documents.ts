import { createHash } from 'node:crypto';
import { isObject, textOf } from '@turnsole/kube/text/json';
import { type Document, parseAllDocuments } from 'yaml';
import { editedText } from './edited-text.ts';

/** A document of a file that is an experiment, or is meant to be one. */
export interface GitDocument {
  /** From the root of the repository. */
  readonly path: string;
  /** `metadata.name`. */
  readonly name: string;
  /** Without the lines that separate documents. */
  readonly text: string;
  /** For comparisons. */
  readonly hash: string;
  /** Labels `workflow_id` and `infra_id`; empty if missing. */
  readonly experimentID: string;
  readonly infraID: string;
}

/** A file or document in the repository that cannot be imported. */
export interface GitProblem {
  readonly path: string;
  /** Empty for a whole file. */
  readonly name: string;
  readonly message: string;
}

const KINDS: ReadonlySet<string> = new Set(['workflow', 'cronworkflow', 'chaosengine', 'chaosschedule']);

const SEPARATOR = /^---[ \t]*(?:#.*)?$/m;

/** The hash for recognising changes; ignores blanks around a document. Pure. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text.trim()).digest('hex');
}

/** Hashes of all documents of a file, also of those that cannot be read. Pure. */
export function hashesOf(file: string): string[] {
  return file
    .split(SEPARATOR)
    .filter((text) => text.trim() !== '')
    .map(hashOf);
}

/** The experiments in a file with one or several documents; other kinds are left alone. Pure. */
export function readDocuments(
  path: string,
  file: string,
): { readonly documents: readonly GitDocument[]; readonly problems: readonly GitProblem[] } {
  const documents: GitDocument[] = [];
  const problems: GitProblem[] = [];
  const seen = new Set<string>();
  for (const text of file.split(SEPARATOR)) {
    const read = readDocument(path, text);
    if (read === undefined) continue;
    if (!('hash' in read)) problems.push(read);
    else if (seen.has(read.name))
      problems.push(problem(path, read.name, 'the file has two documents of this name'));
    else {
      seen.add(read.name);
      documents.push(read);
    }
  }
  return { documents, problems };
}

function readDocument(path: string, text: string): GitDocument | GitProblem | undefined {
  if (text.trim() === '') return undefined;
  const [document, second] = parsed(text);
  if (document === undefined) return undefined;
  const [error] = document.errors;
  if (error !== undefined || second !== undefined) {
    return problem(
      path,
      '',
      `this is no YAML: ${error?.message.split('\n')[0] ?? 'two documents without a line between them'}`,
    );
  }
  const object = plain(document);
  if (!isObject(object) || !KINDS.has(String(object.kind).toLowerCase())) return undefined;
  const metadata = isObject(object.metadata) ? object.metadata : {};
  const labels = isObject(metadata.labels) ? metadata.labels : {};
  const { name } = metadata;
  if (typeof name !== 'string' || name === '') return problem(path, '', 'a document has no metadata.name');
  const [experimentID, infraID] = [textOf(labels.workflow_id), textOf(labels.infra_id)];
  if (infraID === '')
    return problem(
      path,
      name,
      'metadata.labels.infra_id is missing: it names the infrastructure that runs it',
    );
  return { path, name, text: text.trim(), hash: hashOf(text), experimentID, infraID };
}

function plain(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch {
    // Aliases without end.
    return undefined;
  }
}

function parsed(text: string): Document[] {
  const documents = parseAllDocuments(text, { prettyErrors: false, logLevel: 'silent' });
  return Array.isArray(documents) ? documents : [];
}

function problem(path: string, name: string, message: string): GitProblem {
  return { path, name, message };
}

/**
 * Changes a document in a file: replaces or deletes (undefined) the document of this name, or appends it. The other documents stay as
 * they are, character by character. Pure.
 *
 * @param file undefined for a new file
 * @returns undefined if only blanks are left
 */
export function withDocument(
  file: string | undefined,
  path: string,
  name: string,
  text: string | undefined,
): string | undefined {
  const parts = (file ?? '').split(SEPARATOR);
  const separators = [...(file ?? '').matchAll(new RegExp(SEPARATOR, 'gm'))].map(([line]) => line);
  const at = parts.findIndex((part) => {
    const read = readDocument(path, part);
    return read !== undefined && read.name === name && name !== '';
  });
  const body = text === undefined ? undefined : `${text.trim()}\n`;
  if (at >= 0) return replaced(parts, separators, at, body);
  if (body === undefined) return file;
  const before = (file ?? '').trimEnd();
  return before === '' ? body : `${before}\n---\n${body}`;
}

function replaced(
  parts: readonly string[],
  separators: readonly string[],
  at: number,
  body: string | undefined,
): string | undefined {
  const kept = parts.map((part, index) => (index === at ? body : part));
  const text = kept
    .map((part, index) => {
      if (part === undefined) return '';
      const line = index === 0 ? '' : `${separators[index - 1] ?? '---'}${index === at ? '\n' : ''}`;
      return `${line}${part}`;
    })
    .join('');
  return text.replace(SEPARATOR, '').trim() === '' ? undefined : text;
}

/** A document with the label `workflow_id`, all else as it is. Pure. */
export function withExperimentID(text: string, id: string): string {
  const [document] = parsed(text);
  if (document === undefined) return text;
  document.setIn(['metadata', 'labels', 'workflow_id'], id);
  return editedText(text, plain(document));
}
