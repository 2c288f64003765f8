import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { BadInputError, type InputProblem } from '../errors.ts';
import { parseManifests } from '../manifests/load.ts';
import { madeBy } from '../manifests/other-form.ts';

/** The manifests of an application, as a project lists them. */
interface FoundManifests {
  /** Folders of which every file is read, and single files; relative to the project's folder. */
  readonly paths: readonly string[];
  readonly objects: readonly KubeObject[];
  /** What was found and cannot be read as it is, in sentences. */
  readonly notes: readonly string[];
}

/** Folders in which projects keep manifests, by what is looked at first. */
const USUAL = [
  'k8s',
  'kubernetes',
  'manifests',
  'deploy',
  'deployment',
  'deployments',
  'kube',
  '.k8s',
] as const;
const MANIFEST_FILE = /\.(ya?ml|json)$/i;
const LEFT_OUT: readonly string[] = ['node_modules', 'vendor', 'dist', 'charts', 'templates'];
/** Folders below those that are named are looked at this deep. */
const DEPTH = 3;

/**
 * Looks for manifests of workloads: in what is named, else in the folders in which projects keep them, else beside the project's own files.
 *
 * @param folder the project's
 * @throws BadInputError when there are none, or a named one cannot be read
 */
export async function findManifests(folder: string, named: readonly string[]): Promise<FoundManifests> {
  const notes: string[] = [];
  const looked: string[] = named.length > 0 ? [...named] : [...USUAL];
  for (const path of named) await mustExist(folder, path);
  const found = (await Promise.all(looked.map((path) => lookAt(folder, path, DEPTH, notes)))).flat();
  const all = found.length > 0 || named.length > 0 ? found : await filesOf(folder, '.', notes);
  if (all.every(({ objects }) => !objects.some(isWorkload))) {
    const where = named.length > 0 ? named.join(', ') : `${USUAL.join(', ')} and this folder`;
    const message = [
      'no Deployment, StatefulSet or DaemonSet found; name the manifests of the application',
      ...notes,
    ].join('; ');
    throw new BadInputError([{ file: where, code: 'NOTHING_TO_RUN', message }]);
  }
  return {
    paths: all.map(({ path }) => path),
    objects: all.flatMap(({ objects }) => objects),
    notes,
  };
}

interface Found {
  readonly path: string;
  readonly objects: readonly KubeObject[];
}

async function mustExist(folder: string, path: string): Promise<void> {
  const problem: InputProblem = { file: path, code: 'FILE_UNREADABLE', message: 'no such file or folder' };
  await stat(join(folder, path)).catch(() => {
    throw new BadInputError([problem]);
  });
}

/** What a path has: a folder as one where all of its files are manifests. */
async function lookAt(folder: string, path: string, depth: number, notes: string[]): Promise<Found[]> {
  const entry = await stat(join(folder, path)).catch(() => undefined);
  if (entry === undefined) return [];
  if (!entry.isDirectory()) return [await readOne(folder, path)].filter(({ objects }) => objects.length > 0);
  const here = await filesOf(folder, path, notes);
  if (depth === 0) return here;
  const entries = await readdir(join(folder, path), { withFileTypes: true });
  const below = entries
    .filter((one) => one.isDirectory() && !LEFT_OUT.includes(one.name) && !one.name.startsWith('.'))
    .map(({ name }) => lookAt(folder, join(path, name), depth - 1, notes));
  return [...here, ...(await Promise.all(below)).flat()];
}

async function filesOf(folder: string, path: string, notes: string[]): Promise<Found[]> {
  const names = (await readdir(join(folder, path)).catch(() => []))
    .filter((name) => MANIFEST_FILE.test(name))
    .sort();
  const maker = names.map((name) => madeBy(join(path, name))).find((one) => one !== undefined);
  if (maker !== undefined) {
    notes.push(maker);
    return [];
  }
  const files = await Promise.all(names.map((name) => readOne(folder, join(path, name))));
  const held = files.filter(({ objects }) => objects.length > 0);
  const isWhole = path !== '.' && held.length === files.length && files.length > 0;
  return isWhole ? [{ path, objects: held.flatMap(({ objects }) => objects) }] : held;
}

/** The objects of a file; none where it is no manifest, or one of chaos. */
async function readOne(folder: string, path: string): Promise<Found> {
  const problems: InputProblem[] = [];
  const manifests = parseManifests(path, await readFile(join(folder, path), 'utf8'), problems);
  const isApplication = manifests.every(
    ({ object }) =>
      !/^(?:litmuschaos|argoproj)\.io\//.test(object.apiVersion) && basename(path) !== 'turnsole.yaml',
  );
  return {
    path,
    objects: problems.length === 0 && isApplication ? manifests.map(({ object }) => object) : [],
  };
}

function isWorkload({ apiVersion, kind }: KubeObject): boolean {
  return apiVersion === 'apps/v1' && ['Deployment', 'StatefulSet', 'DaemonSet'].includes(kind ?? '');
}
