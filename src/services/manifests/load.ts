import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { parseLenient } from '@turnsole/kube/text/lenient-yaml';
import { readManifest, type UnknownField } from '@turnsole/workflows/kinds/manifest/read-manifest';
import { type Document, isMap, isScalar, type LineCounter, type YAMLMap } from 'yaml';
import { BadInputError, type InputProblem } from '../errors.ts';
import { otherForm } from './other-form.ts';
import { readText } from './read-text.ts';

/** A schedule and when it runs. */
export interface ScheduleTimes {
  readonly name: string;
  /** The first of them stands for the occurrence that is run; RFC 3339. */
  readonly nextTimes: readonly string[];
  /** The one time of `once` where that has passed: it is made up for at once. RFC 3339. */
  readonly missedTime?: string;
}

/** One object of a manifest file, with where it stands, so that messages can point at it. */
export interface Manifest {
  readonly file: string;
  /** 1-based line of the document's first key. */
  readonly line: number;
  /** It has a name; a Workflow from {@link loadManifests} may have `metadata.generateName` in its place. */
  readonly object: KubeObject & { apiVersion: string; kind: string };
  /** 1-based line of a field, for a path such as `['spec', 'experiments', 0, 'name']`; the nearest parent's if absent. */
  lineOf(path: readonly (string | number)[]): number;
  /** Of a workflow kind: fields that nothing reads, or that are spelled otherwise. */
  readonly unknown?: readonly UnknownField[];
  /** The schedule whose next occurrence this engine is. */
  readonly schedule?: ScheduleTimes;
  /** The CronWorkflow whose workflow this is. */
  readonly cron?: { readonly name: string };
  /** The step of a workflow that brings this engine along. */
  readonly within?: { readonly step: string; readonly source: string };
}

/** What git and npm keep for themselves. */
const NO_MANIFESTS = /(?:^|\/)(?:\.git|node_modules)(?:\/|$)/;
const MANIFEST_FILE = /\.(ya?ml|json)$/i;

/**
 * Reads manifests from files and directories, in name order, as kubectl does.
 *
 * @param isRecursive whether folders below are read as well
 * @throws BadInputError with every unreadable file, YAML error and document that is no Kubernetes object.
 */
export async function loadManifests(paths: readonly string[], isRecursive = false): Promise<Manifest[]> {
  const { manifests, problems } = await readAll(paths, {}, isRecursive);
  if (problems.length === 0 && manifests.length === 0) {
    problems.push({
      file: paths.join(' '),
      code: 'FILE_UNREADABLE',
      message: 'no Kubernetes object found; expected YAML or JSON manifests',
    });
  }
  if (problems.length > 0) throw new BadInputError(problems);
  return manifests;
}

/** Objects of which only the form is looked at. */
interface SelectedManifests {
  readonly manifests: readonly Manifest[];
  /** Files that cannot be read. */
  readonly problems: readonly InputProblem[];
}

/**
 * Reads the manifests of a kind from files, and from folders with all below them. Other documents are left out, whatever they lack, and a file
 * that cannot be read does not keep the others from being read. Names may be missing: nothing is applied.
 */
export function selectManifests(
  paths: readonly string[],
  isWanted: (object: Readonly<Record<string, unknown>>) => boolean,
): Promise<SelectedManifests> {
  return readAll(paths, { isWanted }, true);
}

/** The folders right below folders that hold YAML files, which are not read unless somebody asks for it. */
export async function foldersLeftOut(paths: readonly string[]): Promise<string[]> {
  const entriesOf = (path: string) => readdir(path, { withFileTypes: true }).catch(() => []);
  const below = await Promise.all(
    paths.map(async (path) =>
      (await entriesOf(path)).filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name)),
    ),
  );
  const folders = below.flat().filter((path) => !NO_MANIFESTS.test(path));
  const hold = await Promise.all(
    folders.map(async (path) => (await entriesOf(path)).some(({ name }) => /\.ya?ml$/i.test(name))),
  );
  return folders.filter((_, index) => hold[index]);
}

/** How documents are selected. */
interface Selection {
  /** Others are left out. @default every document is to be a whole object */
  readonly isWanted?: (object: Readonly<Record<string, unknown>>) => boolean;
}

async function readAll(
  paths: readonly string[],
  selection: Selection,
  isRecursive: boolean,
): Promise<{ manifests: Manifest[]; problems: InputProblem[] }> {
  const problems: InputProblem[] = [];
  const manifests: Manifest[] = [];
  for (const path of paths) {
    for (const file of await expand(path, problems, isRecursive)) {
      const text = await readText(file).catch((error: unknown) => refuse(problems, file, error));
      if (text !== undefined) manifests.push(...parseManifests(file, text, problems, selection));
    }
  }
  return { manifests, problems };
}

/** Problems of one file's form that are listed: a file that is no YAML at all has one in every line. */
const LISTED_ERRORS = 10;

/** Parses one file's text; adds problems to `problems`, and returns the sound manifests. Lists are flattened. */
export function parseManifests(
  file: string,
  text: string,
  problems: InputProblem[],
  selection: Selection = {},
): Manifest[] {
  if (text.includes('\0')) {
    problems.push({
      file,
      code: 'MANIFEST_UNREADABLE',
      message: 'not text: it holds zero bytes; expected YAML or JSON manifests',
    });
    return [];
  }
  try {
    return parseDocuments(file, text, problems, selection);
  } catch (error) {
    // What the parser gives up: aliases that multiply, nesting without end, anchors that hold themselves.
    problems.push({
      file,
      code: 'MANIFEST_UNREADABLE',
      message: `cannot be read as YAML: ${hostileForm(error)}`,
    });
    return [];
  }
}

function hostileForm(error: unknown): string {
  const { message } = error as Error;
  if (error instanceof RangeError || /call stack/.test(message)) return 'it is nested too deeply';
  if (/excessive alias/i.test(message)) return 'its aliases stand for too much; write the values out';
  return /circular/i.test(message) ? 'an anchor holds an alias of itself' : message;
}

function parseDocuments(
  file: string,
  text: string,
  problems: InputProblem[],
  selection: Selection,
): Manifest[] {
  const { documents, lines } = parseLenient(text);
  const manifests: Manifest[] = [];
  for (const document of documents) {
    for (const error of document.errors.slice(0, LISTED_ERRORS)) {
      problems.push({
        file,
        line: lines.linePos(error.pos[0]).line,
        code: 'MANIFEST_UNREADABLE',
        message: `not valid YAML: ${hostileForm(error)}`,
      });
    }
    const { contents } = document;
    // Nothing, or only comments, between two `---`.
    const isEmpty = contents === null || (isScalar(contents) && contents.value === null);
    if (document.errors.length > 0 || isEmpty) continue;
    if (!isMap(contents)) {
      if (selection.isWanted !== undefined) continue;
      const line = lines.linePos(contents.range[0]).line;
      problems.push({
        file,
        line,
        code: 'MANIFEST_UNREADABLE',
        message: 'expected a Kubernetes object (a mapping with apiVersion and kind)',
      });
      continue;
    }
    manifests.push(...objectsOf(file, contents as YAMLMap, document, lines, problems, selection));
  }
  return manifests;
}

/** Values that aliases may stand for, counted as the parser counts: each alias with all that it holds. */
const MAX_ALIASES = 1000;

function objectsOf(
  file: string,
  root: YAMLMap,
  document: Document.Parsed,
  lines: LineCounter,
  problems: InputProblem[],
  selection: Selection,
): Manifest[] {
  const value = root.toJS(document, { maxAliasCount: MAX_ALIASES }) as Record<string, unknown>;
  // Throws for an anchor that contains itself, and for nesting that later steps would fail on.
  JSON.stringify(value);
  const line = lines.linePos(root.range?.[0] ?? 0).line;
  if (value.kind === 'List' && Array.isArray(value.items)) {
    const items = root.get('items') as { items?: unknown[] } | undefined;
    return (items?.items ?? []).flatMap((item) =>
      isMap(item) ? objectsOf(file, item as YAMLMap, document, lines, problems, selection) : [],
    );
  }
  const { isWanted } = selection;
  if (isWanted !== undefined && !isWanted(value)) return [];
  const missing = isWanted === undefined ? identityProblem(value) : undefined;
  if (missing !== undefined) {
    const form = otherForm(file, value);
    const message = form === undefined ? missing.message : `no Kubernetes object: ${form}`;
    problems.push({ file, line, code: 'MANIFEST_UNREADABLE', ...missing, message });
    return [];
  }
  const lineOf = (path: readonly (string | number)[]): number => lineOfPath(root, path, lines) ?? line;
  // Checked just above: apiVersion, kind and metadata.name are non-empty texts; a selected object may have no metadata.
  const whole = isWanted === undefined ? value : { ...value, metadata: value.metadata ?? {} };
  const { object, unknown } = isOfArgo(value) ? readManifest(whole) : { object: whole, unknown: [] };
  return [
    { file, line, object: object as Manifest['object'], lineOf, ...(unknown.length > 0 && { unknown }) },
  ];
}

/** Problem of the parts that every object needs; undefined when they are right. */
function identityProblem(
  value: Record<string, unknown>,
): Pick<InputProblem, 'field' | 'message'> | undefined {
  for (const field of ['apiVersion', 'kind']) {
    const found = value[field];
    if (typeof found !== 'string' || found === '') {
      return { field, message: textExpected(found) };
    }
  }
  const metadata = value.metadata;
  if (typeof metadata !== 'object' || metadata === null) return { field: 'metadata', message: 'required' };
  const { name, generateName } = metadata as { name?: unknown; generateName?: unknown };
  if (isGenerated(value) && name === undefined && typeof generateName === 'string' && generateName !== '')
    return undefined;
  if (typeof name !== 'string' || name === '') {
    return { field: 'metadata.name', message: textExpected(name) };
  }
  return undefined;
}

/** Workflows are mostly written with `generateName`: they are created, each time anew, and never applied over an earlier one. */
function isGenerated(value: Record<string, unknown>): boolean {
  return value.kind === 'Workflow' && isOfArgo(value);
}

function isOfArgo({ apiVersion }: Record<string, unknown>): boolean {
  return String(apiVersion).startsWith('argoproj.io/');
}

function textExpected(found: unknown): string {
  return `expected a text, found ${JSON.stringify(found) ?? 'nothing'}`;
}

/** 1-based line of the deepest node of `path` that exists in the text. */
export function lineOfPath(
  root: YAMLMap,
  path: readonly (string | number)[],
  lines: LineCounter,
): number | undefined {
  for (let length = path.length; length > 0; length--) {
    const node = root.getIn(path.slice(0, length), true) as { range?: readonly number[] | null } | undefined;
    const offset = node?.range?.[0];
    if (offset !== undefined) return lines.linePos(offset).line;
  }
  return undefined;
}

async function expand(path: string, problems: InputProblem[], isRecursive: boolean): Promise<string[]> {
  const found = await stat(path).catch((error: unknown) => refuse(problems, path, error));
  if (found === undefined) return [];
  if (!found.isDirectory()) return [path];
  const names = (await readdir(path, { recursive: isRecursive }))
    .filter((name) => MANIFEST_FILE.test(name) && !NO_MANIFESTS.test(name))
    .sort();
  if (names.length === 0)
    problems.push({
      file: path,
      code: 'FILE_UNREADABLE',
      message: 'the folder holds no .yaml, .yml or .json file',
    });
  return names.map((name) => join(path, name));
}

function refuse(problems: InputProblem[], file: string, error: unknown): undefined {
  const code = (error as NodeJS.ErrnoException).code;
  const reasons: Record<string, string> = {
    ENOENT: 'no such file or folder',
    EACCES: 'permission denied',
    EISDIR: 'a folder, where a file was expected',
    ELOOP: 'a link that leads to itself',
  };
  problems.push({
    file,
    code: 'FILE_UNREADABLE',
    message: reasons[code ?? ''] ?? `cannot be read: ${(error as Error).message}`,
  });
  return undefined;
}
