import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { basename, join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { inlineAssets } from './inline-assets.ts';
import { packagesOf, renderLicences } from './licences.ts';
import { namedExports } from './named-exports.ts';
import { keepPodStartTogether } from './pod-start.ts';

/** What was made. */
export interface Bundle {
  /** Folder with `main.js`. */
  readonly directory: string;
  /** Bytes of code, without source maps. */
  readonly codeBytes: number;
  readonly chunks: number;
  /** Names of the packages that are part of it. */
  readonly packages: readonly string[];
}

/** What Node 22 lacks, by files that export it. */
const LACKING: string[] = ['build/inject/async-disposable-stack.ts'];

/** Options that all parts share. The command runs with Node 24; programs that import the package may have Node 22. */
const COMMON = {
  bundle: true,
  platform: 'node',
  target: 'node22',
  inject: LACKING,
  minify: true,
  // Names stand in logs, errors and metrics.
  keepNames: true,
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
  logOverride: { 'direct-eval': 'silent' },
} as const;

/** Packages bundled as CommonJS need the `require` that ES modules do not have. */
const REQUIRE = `import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);`;

/**
 * Interceptor and loader are processes of their own: a helper starts them in a pod's namespaces. So is what unpacks layers of images.
 */
const PROGRAMS = {
  main: 'src/cli/main.ts',
  interceptor: 'src/faults/intercept/interceptor-main.ts',
  loader: 'src/faults/stress/load/loader-main.ts',
  unpacker: 'packages/cluster/src/images/unpack/unpacker-main.ts',
} as const;

/** What others import. */
const FACE = { index: 'src/runs/as-code/index.ts' } as const;

/** Sample images that the quick start uses. */
const SAMPLES = ['sample-web'] as const;

/** The package with the clients of clouds: its users install it beside the command, and the image has it in the bundle. */
const CLOUD = '@turnsole/cloud';

/** Choices of a bundle. */
interface BundleOptions {
  /** Whether the clients of clouds are part of it. @default they are looked for when it runs */
  readonly withClouds?: boolean;
}

/**
 * Bundles the package at `root` into `directory`, which is replaced as a whole: a build that fails leaves the old one.
 *
 * @throws Error with esbuild's messages, when something cannot be bundled
 */
export async function bundle(
  root: string,
  directory: string,
  { withClouds = false }: BundleOptions = {},
): Promise<Bundle> {
  const fresh = `${directory}.new-${process.pid}`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(join(fresh, 'images'), { recursive: true });
  try {
    const options = {
      ...COMMON,
      absWorkingDir: root,
      entryPoints: { ...PROGRAMS, ...FACE },
      outdir: fresh,
      format: 'esm',
      splitting: true,
      chunkNames: '[name]-[hash]',
      banner: { js: REQUIRE },
      external: withClouds ? [] : [`${CLOUD}/*`],
    } as const;
    const parts = await build({
      ...options,
      write: false,
      plugins: [inlineAssets().plugin, namedExports(root)],
    });
    const assets = inlineAssets(keepPodStartTogether(parts.metafile, root, Object.values(PROGRAMS)));
    const main = await build({ ...options, plugins: [assets.plugin, namedExports(root)] });
    const others = await Promise.all([
      ...assets.required().map((name) =>
        build({
          ...COMMON,
          absWorkingDir: root,
          entryPoints: { [name]: name },
          outdir: fresh,
          format: 'cjs',
          outExtension: { '.js': '.cjs' },
        }),
      ),
      build({
        ...COMMON,
        absWorkingDir: root,
        entryPoints: Object.fromEntries(
          SAMPLES.map((name) => [`images/${name}`, `examples/images/${name}.ts`]),
        ),
        outdir: fresh,
        format: 'esm',
      }),
    ]);
    await assets.copyTo(fresh);
    const metafiles = [main, ...others].map(({ metafile }) => metafile);
    refuseUnbundled(metafiles);
    const packages = await packagesOf(
      root,
      metafiles.flatMap(({ inputs }) => Object.keys(inputs)),
    );
    await writeFile(join(fresh, 'THIRD-PARTY-LICENSES.txt'), renderLicences(packages));
    await rm(directory, { recursive: true, force: true });
    await rename(fresh, directory);
    const outputs = metafiles.flatMap(({ outputs }) => Object.entries(outputs));
    const code = outputs.filter(([path]) => !path.endsWith('.map'));
    return {
      directory,
      codeBytes: code.reduce((sum, [, { bytes }]) => sum + bytes, 0),
      chunks: code.length,
      packages: packages.map(({ name, version }) => `${name}@${version}`),
    };
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** Optional parts that `ws`, `pg` and `debug` (of the vendors' clients) look for and do without. */
const DISPENSABLE = ['bufferutil', 'utf-8-validate', 'pg-native', 'supports-color'];

/** The image has no node_modules: whatever would be looked for there must be in the bundle, but for what the command says that it lacks. */
function refuseUnbundled(metafiles: readonly Metafile[]): void {
  const missing = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap(({ imports }) => imports)
    .filter(({ external, path }) => external === true && !isOfNode(path) && !isDispensable(path));
  if (missing.length > 0) {
    const names = [...new Set(missing.map(({ path }) => basename(path)))].join(', ');
    throw new Error(`these are imported but not part of the bundle: ${names}; add them to its entry points`);
  }
}

function isDispensable(path: string): boolean {
  return DISPENSABLE.includes(path) || path.startsWith(`${CLOUD}/`);
}

function isOfNode(path: string): boolean {
  return path.startsWith('node:') || builtinModules.includes(path);
}
