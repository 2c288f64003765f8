import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { messageOf } from '../../text/error-message.ts';
import { ClusterConfigError } from './errors.ts';

/** A mapping of a kubeconfig as parsed: nothing about its values is known yet. */
type Fields = Readonly<Record<string, unknown>>;

/** A named entry (cluster, user, context) and the file that defines it: relative paths count from there. */
export interface NamedEntry {
  readonly name: string;
  readonly file: string;
  /** Path of `fields` for messages: `users[admin].user`. */
  readonly at: string;
  readonly fields: Fields;
}

/** Several kubeconfig files read as one. */
export interface MergedKubeconfig {
  /** All files that were read, for messages. */
  readonly files: readonly string[];
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, NamedEntry>;
  readonly users: ReadonlyMap<string, NamedEntry>;
  readonly contexts: ReadonlyMap<string, NamedEntry>;
}

/**
 * Reads kubeconfig files and merges them as kubectl does: the first file that defines a name, or the current
 * context, wins. The YAML reader is loaded here and nowhere else, as it costs 15 ms that an in-cluster start saves.
 *
 * @param options.mayBeMissing skip files that are not there (KUBECONFIG may list such), as long as one is
 * @throws ClusterConfigError for files that are missing, unreadable, no YAML or of another shape
 */
export async function readKubeconfigFiles(
  paths: readonly string[],
  options: { readonly mayBeMissing: boolean },
): Promise<MergedKubeconfig> {
  const parts: MergedKubeconfig[] = [];
  for (const path of paths) {
    const text = readText(path, options.mayBeMissing && paths.length > 1);
    if (text !== undefined) parts.push(await interpretText(path, text));
  }
  if (parts.length === 0) {
    throw new ClusterConfigError(
      paths.join(', '),
      undefined,
      'no such file; name a kubeconfig with --kubeconfig or KUBECONFIG',
    );
  }
  return mergeKubeconfigs(parts);
}

/** Where a text has no file: its name in messages, in the folder that relative paths count from. */
const TEXT_NAME = 'kubeconfig text';

/**
 * Reads the text of a kubeconfig, as programs hold it that have it from elsewhere than a file.
 *
 * @throws ClusterConfigError for a text that is no YAML or of another shape
 */
export function readKubeconfigText(text: string): Promise<MergedKubeconfig> {
  return interpretText(TEXT_NAME, text);
}

async function interpretText(file: string, text: string): Promise<MergedKubeconfig> {
  const { parse } = await import('yaml');
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw new ClusterConfigError(file, undefined, `it is no valid YAML: ${messageOf(error)}; correct it`, {
      cause: error,
    });
  }
  return interpretFile(file, value);
}

function readText(path: string, mayBeMissing: boolean): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (mayBeMissing && error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return undefined;
    throw new ClusterConfigError(
      path,
      undefined,
      `it cannot be read (${messageOf(error)}); name a readable kubeconfig with --kubeconfig or KUBECONFIG`,
      { cause: error },
    );
  }
}

/** One parsed file as entries. An empty file is a kubeconfig with nothing in it, as for kubectl. */
function interpretFile(file: string, value: unknown): MergedKubeconfig {
  const root = value === null || value === undefined ? {} : fieldsOf(file, '(root)', value);
  const current = root['current-context'];
  return {
    files: [file],
    currentContext: typeof current === 'string' && current !== '' ? current : undefined,
    clusters: namedEntries(file, root, 'clusters', 'cluster'),
    users: namedEntries(file, root, 'users', 'user'),
    contexts: namedEntries(file, root, 'contexts', 'context'),
  };
}

/** The first definition of each name wins. */
function mergeKubeconfigs(parts: readonly MergedKubeconfig[]): MergedKubeconfig {
  const merge = (pick: (part: MergedKubeconfig) => ReadonlyMap<string, NamedEntry>) => {
    const all = new Map<string, NamedEntry>();
    for (const part of parts) {
      for (const [name, entry] of pick(part)) if (!all.has(name)) all.set(name, entry);
    }
    return all;
  };
  return {
    files: parts.flatMap((part) => part.files),
    currentContext: parts.find((part) => part.currentContext !== undefined)?.currentContext,
    clusters: merge((part) => part.clusters),
    users: merge((part) => part.users),
    contexts: merge((part) => part.contexts),
  };
}

function namedEntries(file: string, root: Fields, list: string, key: string): Map<string, NamedEntry> {
  const entries = new Map<string, NamedEntry>();
  const value = root[list];
  if (value === undefined || value === null) return entries;
  if (!Array.isArray(value)) {
    throw new ClusterConfigError(file, list, `a list is expected, ${describe(value)} was found`);
  }
  for (const [index, item] of value.entries()) {
    const outer = fieldsOf(file, `${list}[${index}]`, item);
    const { name } = outer;
    if (typeof name !== 'string' || name === '') {
      throw new ClusterConfigError(file, `${list}[${index}].name`, 'a name is expected; add it');
    }
    const at = `${list}[${name}].${key}`;
    const inner = outer[key];
    // A user without credentials is written `user: {}` or left empty.
    const fields = inner === undefined || inner === null ? {} : fieldsOf(file, at, inner);
    if (!entries.has(name)) entries.set(name, { name, file, at, fields });
  }
  return entries;
}

function fieldsOf(file: string, field: string, value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ClusterConfigError(file, field, `a mapping is expected, ${describe(value)} was found`);
  }
  // A plain object of the YAML reader; values stay unknown.
  return value as Fields;
}

/** The error of a field of an entry. */
export function fieldError(
  { file, at }: NamedEntry,
  key: string,
  problem: string,
  options?: ErrorOptions,
): ClusterConfigError {
  return new ClusterConfigError(file, `${at}.${key}`, problem, options);
}

/** A text field; absent and empty are the same, as in Go. */
export function stringField(entry: NamedEntry, key: string): string | undefined {
  const value = entry.fields[key];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') {
    throw fieldError(entry, key, `a text is expected, ${describe(value)} was found; put it in quotes`);
  }
  return value;
}

export function booleanField(entry: NamedEntry, key: string): boolean {
  const value = entry.fields[key];
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') {
    throw fieldError(entry, key, `true or false is expected, ${describe(value)} was found`);
  }
  return value;
}

export function listField(entry: NamedEntry, key: string): readonly unknown[] {
  const value = entry.fields[key];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    throw fieldError(entry, key, `a list is expected, ${describe(value)} was found`);
  }
  return value;
}

/** PEM given inline in base64 (`<key>-data`, which wins) or as a file (`<key>`). */
export function pemField(entry: NamedEntry, key: string): string | undefined {
  const data = stringField(entry, `${key}-data`);
  if (data !== undefined) {
    const pem = Buffer.from(data, 'base64').toString('utf8');
    if (!pem.includes('-----BEGIN')) {
      throw fieldError(
        entry,
        `${key}-data`,
        'it is no base64 of a PEM text; encode the file with `base64 -w0`',
      );
    }
    return pem;
  }
  const path = pathField(entry, key);
  return path === undefined ? undefined : readReferencedFile(entry, key, path);
}

/** A file name, made absolute from the folder of the kubeconfig that names it. */
export function pathField(entry: NamedEntry, key: string): string | undefined {
  const path = stringField(entry, key);
  return path === undefined ? undefined : resolve(dirname(entry.file), path);
}

function readReferencedFile(entry: NamedEntry, key: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw fieldError(
      entry,
      key,
      `the file ${path} cannot be read (${messageOf(error)}); correct the path or its permissions`,
      { cause: error },
    );
  }
}

function describe(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a mapping' : JSON.stringify(value);
}
