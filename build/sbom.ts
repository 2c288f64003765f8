import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What is used of npm's list (CycloneDX, JSON); the rest is handed on as it is. */
interface Sbom {
  readonly metadata: { readonly component: object };
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly 'bom-ref': string;
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

/** Far more than a list of some hundred packages takes. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Writes `sbom.cdx.json` into a folder: what the product is made of, with the licences and digests that the lock file has.
 *
 * @param root the checkout
 * @param packages what is in the bundle and the page, as NAME@VERSION
 * @throws Error when npm cannot read the lock file, or it lacks one of them
 */
export async function writeSbom(root: string, folder: string, packages: readonly string[]): Promise<void> {
  const args = [
    'sbom',
    '--package-lock-only',
    '--sbom-format',
    'cyclonedx',
    '--sbom-type',
    'application',
    '--include=dev',
  ];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: root, maxBuffer: MAX_BYTES });
  // As npm documents it.
  const sbom = onlyBundled(JSON.parse(stdout) as Sbom, packages);
  await writeFile(join(folder, 'sbom.cdx.json'), `${JSON.stringify(sbom, null, 2)}\n`);
}

/** The list with the named packages only, all of them parts of the product. Pure. @throws Error when it lacks one */
export function onlyBundled(sbom: Sbom, packages: readonly string[]): Sbom {
  const wanted = new Set(packages);
  const components = sbom.components.filter(({ name, version }) => wanted.has(`${name}@${version}`));
  const found = new Set(components.map(({ name, version }) => `${name}@${version}`));
  const missing = [...wanted].filter((one) => !found.has(one));
  if (missing.length > 0)
    throw new Error(
      `package-lock.json does not have ${missing.join(', ')}, of which code is bundled; run npm ci`,
    );
  const refs = new Set(components.map((component) => component['bom-ref']));
  const dependencies = sbom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }));
  // npm names it after the folder of the checkout.
  const component = { ...sbom.metadata.component, name: 'turnsole' };
  return { ...sbom, metadata: { ...sbom.metadata, component }, components, dependencies };
}
