/** Launches of stand-ins: commands of this machine that stand for an image. */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Container } from '@turnsole/kube/kinds/core';
import { containerPath, IMAGES_IN_CONTAINER } from '../images/built-in.ts';
import { containerCommand } from '../images/command.ts';
import type { InstalledImage } from '../images/image-entry.ts';
import { processIdentity } from '../runtime/isolated/identity.ts';
import type { LaunchMount, PodSandbox } from '../runtime/types.ts';
import { underRoot } from '../volumes/mounts.ts';
import type { PodVolumes } from '../volumes/pod-volumes.ts';
import type { LaunchParts, LaunchSubject } from './launch-parts.ts';
import type { LaunchSettings } from './launch-settings.ts';

interface StandInSubject extends LaunchSubject {
  readonly sandbox: PodSandbox;
  readonly volumes: PodVolumes;
  readonly settings: Pick<LaunchSettings, 'imagesDirectory'>;
}

/** Gives what a container has of its stand-in. Makes the working directory where that is a folder of the container. */
export function standInLaunch(subject: StandInSubject, image: InstalledImage): LaunchParts {
  const { pod, container, variables, mounts, sandbox, volumes, settings } = subject;
  const words = containerCommand(container, image, variables);
  const ofImage = { imageEnv: image.env ?? {} };
  if (sandbox.hasOwnRoot) {
    const programs = programFolders(image).map((folder) => inContainer(folder, settings));
    return {
      ...ofImage,
      baseEnv: {
        PATH: containerPath(IMAGES_IN_CONTAINER, process.env, programs),
        HOME: homeOf(processIdentity(pod, container).uid, readPasswd()),
      },
      command: words,
      workingDirectory: container.workingDir || directoryInContainer(image, settings),
      root: {
        pod,
        container,
        mounts: [...cacheMounts(image), ...programMounts(image), ...mounts],
        needs: imageNeeds(image).filter((path) => inContainer(path, settings) === path),
      },
    };
  }
  const root = sandbox.rootOf(container.name);
  const caches = cacheMounts(image).map(({ source }) => source);
  return {
    ...ofImage,
    baseEnv: {
      PATH: containerPath(settings.imagesDirectory, process.env, programFolders(image)),
      HOME: join(root, HOME),
      TMPDIR: join(root, TEMP),
    },
    command: onHost(words, container, root, image.programs),
    workingDirectory: workingDirectory(container, image, root),
    ...(image.findsTemp !== true && {
      temp: {
        source: join(root, TEMP),
        needs: [...imageNeeds(image), ...caches, ...volumes.sourcesOf(container)],
      },
    }),
  };
}

const HOME = 'root';
const TEMP = 'tmp';

/** Makes the folders and the file that stand for parts of the root. */
export function makeStandInFolders(root: string, container: Container): void {
  makeFolders(root);
  makeMessageFile(root, container);
}

/** A container that starts again finds nothing of its last run in its folder for temporary files. */
function makeFolders(root: string): void {
  rmSync(join(root, TEMP), { recursive: true, force: true });
  for (const folder of [HOME, TEMP, 'dev']) mkdirSync(join(root, folder), { recursive: true, mode: 0o755 });
}

/** As a kubelet does, empty before each start: programs that say why they end only write to it where it is. */
function makeMessageFile(root: string, { terminationMessagePath }: Container): void {
  const file = join(root, terminationMessagePath ?? '/dev/termination-log');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
}

/** Code that Node has compiled is kept for the next pod of an image: it halves the start of large programs. */
function cacheMounts({ env }: InstalledImage): LaunchMount[] {
  const folder = env?.NODE_COMPILE_CACHE;
  if (folder === undefined || !existsSync(folder)) return [];
  return [{ source: folder, target: folder, readOnly: false }];
}

/** The image's own programs are at their places, whatever the host has there. */
function programMounts({ programs = {} }: InstalledImage): LaunchMount[] {
  return Object.entries(programs).map(([target, source]) => ({ source, target, readOnly: true }));
}

/** Where a program of an image starts in a container with a root of its own. */
function directoryInContainer(
  image: InstalledImage,
  settings: Pick<LaunchSettings, 'imagesDirectory'>,
): string {
  const folder = imageDirectory(image);
  const own = Object.entries(image.programs ?? {}).find(([, file]) => dirname(file) === folder);
  return own === undefined ? inContainer(folder, settings) : dirname(own[0]);
}

function programFolders({ programs = {} }: InstalledImage): string[] {
  return [...new Set(Object.values(programs).map((file) => dirname(file)))];
}

/** Folders of the host that a command of the catalogue is in, or names. */
function imageNeeds({ entrypoint, args = [], workingDir }: InstalledImage): string[] {
  const files = [...entrypoint, ...args].filter((word) => word.startsWith('/') && existsSync(word));
  return [...(workingDir === undefined ? [] : [workingDir]), ...files.map((file) => dirname(file))];
}

/** Where a container with a root of its own sees a path of the host: only the built-in images are elsewhere. */
function inContainer(path: string, { imagesDirectory }: Pick<LaunchSettings, 'imagesDirectory'>): string {
  const isBuiltIn = path === imagesDirectory || path.startsWith(`${imagesDirectory}/`);
  return isBuiltIn ? join(IMAGES_IN_CONTAINER, relative(imagesDirectory, path)) : path;
}

/** The home of a user by a text of passwd(5), which is the root where it has none, as container runtimes have it; pure. */
export function homeOf(uid: number, passwd: string): string {
  const entry = passwd.split('\n').find((line) => line.split(':')[2] === String(uid));
  return entry?.split(':')[5] || '/';
}

/** The image of an isolated container is the host. */
function readPasswd(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8');
  } catch {
    return 'root:x:0:0::/root:';
  }
}

/**
 * Where a program of an image starts in a container with a root of its own: for a command of the user that is the root, as in most
 * images, but a command that names files of the image's folder (`node server.js`) is meant to start there.
 */
export function imageDirectory({
  entrypoint,
  args = [],
  workingDir,
  workingDirIfNamed,
}: InstalledImage): string {
  if (workingDir === undefined || workingDirIfNamed !== true) return workingDir ?? '/';
  const [program = '', ...words] = [...entrypoint, ...args];
  // A program without a slash is looked for in PATH; an option may have a file behind its equals sign.
  const files = [
    ...(program.includes('/') ? [program] : []),
    ...words.map((word) => word.split('=').at(-1) ?? ''),
  ];
  const isIn = (file: string): boolean =>
    file !== '' && !file.startsWith('/') && existsSync(join(workingDir, file));
  return files.some(isIn) ? workingDir : '/';
}

/**
 * Gives the command with words that are paths below a mount, or those of the image's own programs, replaced by where that is on the host;
 * pure. Without a mount namespace `sh /scripts/run.sh` would find nothing; paths inside longer words stay as they are.
 */
export function onHost(
  command: readonly string[],
  container: Container,
  root: string,
  programs: InstalledImage['programs'] = {},
): string[] {
  const mounts = (container.volumeMounts ?? []).map((mount) => mount.mountPath.replace(/\/+$/, ''));
  const isMounted = (word: string): boolean =>
    mounts.some((mount) => mount !== '' && (word === mount || word.startsWith(`${mount}/`)));
  return command.map((word) =>
    isMounted(word) ? underRoot(root, word) : Object.hasOwn(programs, word) ? (programs[word] ?? word) : word,
  );
}

/**
 * Where the main process starts: the container's working directory below its root if something is mounted there, else
 * on the host if it exists there, else made below the root. Without one it is the image's, then the root itself.
 */
function workingDirectory(container: Container, image: InstalledImage, root: string): string {
  const wanted = container.workingDir;
  if (wanted === undefined || wanted === '') return image.workingDir ?? root;
  const below = underRoot(root, wanted);
  // The machine's `/tmp` is not the container's.
  const isTemp = underRoot('/', wanted).startsWith(`/${TEMP}/`);
  for (const candidate of isTemp ? [below] : [below, wanted]) {
    if (statSync(candidate, { throwIfNoEntry: false })?.isDirectory() === true) return candidate;
  }
  mkdirSync(below, { recursive: true, mode: 0o755 });
  return below;
}
