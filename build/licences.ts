import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A package that is part of the bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  /** Text of its licence file; empty when it has none. */
  readonly text: string;
}

/** The packages that the input files belong to, by name. Inputs are paths relative to `root`, as esbuild's metafile has them. */
export async function packagesOf(root: string, inputs: readonly string[]): Promise<BundledPackage[]> {
  const folders = new Set(inputs.map(packageFolder).filter((folder) => folder !== undefined));
  const packages = await Promise.all([...folders].map((folder) => readPackage(join(root, folder))));
  return packages.sort((a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version));
}

/** `node_modules/a/node_modules/@s/b/x.js` gives `node_modules/a/node_modules/@s/b`. Pure. */
export function packageFolder(path: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
}

async function readPackage(folder: string): Promise<BundledPackage> {
  // Written by the package's authors: name and version are there, or npm would not have installed it.
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
    readonly license?: string;
  };
  const file = (await readdir(folder)).find((name) => /^(licen[cs]e|copying)/i.test(name));
  return {
    name: manifest.name,
    version: manifest.version,
    licence: manifest.license ?? 'see its text',
    text: file === undefined ? '' : await readFile(join(folder, file), 'utf8'),
  };
}

/** The file that goes with the bundle. Pure. */
export function renderLicences(packages: readonly BundledPackage[]): string {
  const head = 'Turnsole contains code of these packages, each under its own licence.\n';
  const parts = packages.map(({ name, version, licence, text }) =>
    [`${name} ${version} (${licence})`, ...(text === '' ? [] : ['', text.trim()])].join('\n'),
  );
  return `${[head, ...parts].join(`\n${'-'.repeat(80)}\n\n`)}\n`;
}
