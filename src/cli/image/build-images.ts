/** Images that a command line has built: by the program that is there, and then in the store of this user. */
import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { CommandError } from '../../services/errors.ts';
import { runBuildCommand } from '../../services/project/run-build-command.ts';
import { withArchiveOf } from './archive-of.ts';
import type { BuildOrder } from './build-option.ts';
import { IMAGE_PROGRAMS } from './image-programs.ts';
import { onStore } from './with-store.ts';

/** Names of the file in a folder, the first that is there. */
const FILES = ['Dockerfile', 'Containerfile'];
/** How long a daemon may take to say that it is there. */
const ASK_MS = 10_000;

interface BuildContext {
  readonly progress: { step(message: string): void };
  readonly signal: AbortSignal;
}

/**
 * Builds images by Docker, Podman or Buildah, the first that can be used, and takes them into the store. What the program prints goes to standard error.
 *
 * @throws CommandError OPTION_INVALID, BUILD_FAILED, IMAGE_FAILED, IMAGE_REFUSED · the signal's reason
 */
export async function buildImages(
  orders: readonly BuildOrder[],
  { progress, signal }: BuildContext,
): Promise<void> {
  // All places first: nobody waits for a build to hear of the next one's mistake.
  const places = orders.map(({ path, name }) => ({ name, ...placeOf(path) }));
  const program = await findBuilder(signal);
  for (const { name, file, folder } of places) {
    const words = IMAGE_PROGRAMS[program]?.build(name, file, folder) ?? [];
    progress.step(`build: ${words.join(' ')}`);
    await runBuildCommand({ words, label: `--build: ${words.join(' ')}`, signal });
    await withArchiveOf(program, name, signal, (archive) =>
      onStore((store) => store.load(archive, { name, signal })),
    );
  }
}

/** @throws CommandError when there is no such file, or none in the folder */
function placeOf(path: string): { readonly file: string; readonly folder: string } {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === true) return { file: path, folder: dirname(path) };
  const file = FILES.map((name) => join(path, name)).find((one) => existsSync(one));
  if (found?.isDirectory() === true && file !== undefined) return { file, folder: path };
  const what = found === undefined ? 'there is no such file' : `it has no ${FILES.join(' and no ')}`;
  throw new CommandError(`--build ${path}: ${what}`, 'OPTION_INVALID');
}

/** @throws CommandError with what each says that is there */
async function findBuilder(signal: AbortSignal): Promise<string> {
  const said: string[] = [];
  for (const [program, { works }] of Object.entries(IMAGE_PROGRAMS)) {
    const [file = '', ...args] = works;
    try {
      await promisify(execFile)(file, args, { signal, timeout: ASK_MS });
      return program;
    } catch (error) {
      signal.throwIfAborted();
      const { code, stderr = '', message } = error as NodeJS.ErrnoException & { stderr?: string };
      if (code !== 'ENOENT') said.push(`${program}: ${stderr.trim().split('\n').at(-1) || message}`);
    }
  }
  const names = Object.keys(IMAGE_PROGRAMS).join(', ');
  const why = said.length === 0 ? `none of ${names} is installed` : said.join('; ');
  throw new CommandError(`--build: no program can build the image: ${why}`, 'BUILD_FAILED');
}
