/** Images and commands that stand for Turnsole's own code in the pods of an embedded cluster. */
import { dirname, join } from 'node:path';
import { KUBECTL_IMAGES } from '@turnsole/cluster/node/images/built-in';
import type { ImageEntry } from '@turnsole/cluster/node/images/image-entry';
import { KNOWN_IMAGES_VARIABLE, knownImagesText } from '../chaos/known-images.ts';
import { OWN_FAULTS_VARIABLE } from '../chaos/own-faults.ts';
import { UPSTREAM_PROGRAMS, UPSTREAM_WORKDIR } from '../chaos/upstream-programs.ts';
import { ownNode } from '../process/own-node.ts';
import { IS_BUNDLED, PACKAGE_ROOT } from '../process/package-root.ts';
import { compileCacheDirectory } from './compile-cache.ts';

/** Turnsole's image: it has all components, and upstream's programs at their places. */
const TURNSOLE_IMAGES = ['turnsole', 'turnsole/turnsole'] as const;

/** Images that run Turnsole's code. */
const OWN_IMAGES = [...TURNSOLE_IMAGES, ...new Set(UPSTREAM_PROGRAMS.flatMap(({ images }) => images))];

/** Of these helpers of node faults may start, which stop and start nodes. */
const REACH_MACHINE: readonly string[] = [...TURNSOLE_IMAGES, 'litmuschaos/go-runner'];

/** Images of the steps of Litmus' workflows that run Turnsole's code. They give no promise about chaos, so no runner asks for them. */
const STEP_IMAGES = ['litmus-checker', 'litmus-app-deployer'] as const;

/** What the cluster is given. */
interface OwnImages {
  readonly images: ReadonlyMap<string, ImageEntry>;
  readonly commands: ReadonlyMap<string, readonly string[]>;
  /** The images that run Turnsole's code, and the user's as exceptions (TURNSOLE_KNOWN_IMAGES). */
  readonly knownImages: readonly string[];
}

/**
 * Turnsole's own images, upstream's runner, exporter, operator and experiment images (which run Turnsole's code), and samples.
 *
 * @param userImages names of the user's own images, which win over these
 */
export function ownImages(userImages: Iterable<string>, env: NodeJS.ProcessEnv = process.env): OwnImages {
  const turnsole = [ownNode(), join(PACKAGE_ROOT, 'bin', 'turnsole.js')];
  const knownImages = [...OWN_IMAGES, ...[...userImages].map((name) => `!${name}`)];
  const cache = { NODE_COMPILE_CACHE: compileCacheDirectory(env) };
  // Whichever operator started it, a component here knows which images are Turnsole's.
  // The shell around the steps of workflows is this machine's, as are the programs of all images.
  const own = {
    ...cache,
    [KNOWN_IMAGES_VARIABLE]: knownImagesText(knownImages),
    TURNSOLE_BUSYBOX: 'host',
    ...(env[OWN_FAULTS_VARIABLE] !== undefined && { [OWN_FAULTS_VARIABLE]: env[OWN_FAULTS_VARIABLE] }),
  };
  const component = (...args: string[]): ImageEntry => ({
    entrypoint: [...turnsole, ...args],
    env: own,
    findsTemp: true,
  });
  const images = new Map<string, ImageEntry>();
  for (const name of OWN_IMAGES) {
    const held = UPSTREAM_PROGRAMS.filter((program) => program.images.includes(name));
    const [first] = held;
    const programs = (first === undefined ? UPSTREAM_PROGRAMS : held).map(
      (program) => [program.path, [...turnsole, program.component]] as const,
    );
    images.set(name, {
      ...(first === undefined || first.isEntryPoint === false ? component() : component(first.component)),
      programs: Object.fromEntries(programs),
      ...(programs.some(([path]) => dirname(path) === UPSTREAM_WORKDIR) && { workingDir: UPSTREAM_WORKDIR }),
      ...(REACH_MACHINE.includes(name) && { reachesMachine: true }),
    });
  }
  images.set('turnsole/sample-web', {
    entrypoint: [ownNode(), samplePath('sample-web')],
    env: cache,
    findsTemp: true,
  });
  images.set('turnsole/sample-load', component('load'));
  for (const name of STEP_IMAGES) images.set(`litmuschaos/${name}`, component(name));
  // Their kubectl may be Turnsole's, which starts in half the time with compiled code.
  for (const name of [...KUBECTL_IMAGES, 'litmuschaos/k8s']) {
    images.set(name, { entrypoint: [], args: ['/bin/sh'], env: cache });
  }
  const commands = new Map([
    ['turnsole', turnsole],
    ['kubectl', [...turnsole, 'kubectl']],
  ]);
  return { images, commands, knownImages };
}

/** Node strips no types below node_modules, so the bundle has the samples as JavaScript. */
function samplePath(name: string): string {
  return IS_BUNDLED
    ? join(PACKAGE_ROOT, 'dist', 'images', `${name}.js`)
    : join(PACKAGE_ROOT, 'examples', 'images', `${name}.ts`);
}
