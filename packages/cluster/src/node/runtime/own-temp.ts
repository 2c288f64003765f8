/**
 * A `/tmp` of its own for a container without a root of its own. What a container writes there would otherwise lie among the files of
 * the machine: steps of two workflows that write `/tmp/out` would read each other's, and one that another user has left cannot be
 * written at all. A mount namespace shows the container's folder at `/tmp`; ordinary users make one inside of a user namespace, in
 * which they stay who they are.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { findProgram, isExecutable } from '@turnsole/kube/base/machine';

const TEMP = '/tmp';

/** What a container has as its `/tmp`. */
export interface LaunchTemp {
  /** Folder of the host that stands for it. */
  readonly source: string;
  /** Paths of the host that the container needs although they may be below `/tmp`. */
  readonly needs: readonly string[];
}

/** What makes the namespaces: programs of the machine, by their full paths, and who runs them. */
export interface TempTools {
  readonly unshare: string;
  readonly mount: string;
  readonly uid: number;
  readonly gid: number;
}

/** Mounts pairs of source and target up to `--`, then becomes the rest. */
const MOUNT_AND_BECOME = `mount=$1
shift
while [ "$1" != -- ]; do
  "$mount" --rbind "$1" "$2" || exit 125
  shift 2
done
shift
exec "$@"`;

/** The command that runs another with mounts that it alone sees, as the user who runs it; pure. */
export function withMounts(
  command: readonly string[],
  mounts: readonly (readonly [source: string, target: string])[],
  { unshare, mount, uid, gid }: TempTools,
): string[] {
  const isRoot = uid === 0;
  return [
    ...[unshare, ...(isRoot ? [] : ['--user', '--map-root-user']), '--mount', '--'],
    ...['/bin/sh', '-c', MOUNT_AND_BECOME, 'sh', mount, ...mounts.flat(), '--'],
    // Only root of a namespace may mount; its programs see the user's own number again.
    ...(isRoot ? [] : [unshare, '--user', `--map-user=${uid}`, `--map-group=${gid}`, '--']),
    ...command,
  ];
}

/** The paths that have to be shown below a `/tmp` of one's own: the outermost of those that are there; pure. */
export function keptBelowTemp(needs: readonly string[]): string[] {
  const below = needs.filter((path) => path.startsWith(`${TEMP}/`));
  const isInside = (path: string, other: string): boolean => path !== other && path.startsWith(`${other}/`);
  return [...new Set(below)].filter((path) => !below.some((other) => isInside(path, other))).sort();
}

const run = promisify(execFile);

/** Finds what {@link ownTempCommand} needs; undefined where this machine does not let this user have namespaces. Never rejects. */
export async function findTempTools(): Promise<TempTools | undefined> {
  const [unshare, mount] = [findProgram('unshare'), findProgram('mount')];
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  if (process.platform !== 'linux' || unshare === undefined || mount === undefined) return undefined;
  if (uid === undefined || gid === undefined) return undefined;
  const found = { unshare, mount, uid, gid };
  const [file = '', ...args] = withMounts(['/bin/sh', '-c', 'id -u'], [[TEMP, TEMP]], found);
  return await run(file, args).then(
    ({ stdout }) => (stdout.trim() === String(uid) ? found : undefined),
    () => undefined,
  );
}

/** Where and by what a command is started. */
interface TempPlace {
  readonly tools: TempTools;
  readonly workingDirectory: string;
  /** PATH of the command. */
  readonly searchPath: string;
}

/**
 * The command that runs another with a `/tmp` of its own; the command itself where its program is not there, so that the start fails
 * with the reason, and where a volume is the machine's `/tmp` itself, which its links would no longer lead to.
 */
export function ownTempCommand(
  command: readonly string[],
  { source, needs }: LaunchTemp,
  { tools, workingDirectory, searchPath }: TempPlace,
): readonly string[] {
  if (!isThere(command[0] ?? '', source, workingDirectory, searchPath)) return command;
  const needed = needs.filter((path) => existsSync(path)).map((path) => realpathSync(path));
  if (needed.includes(TEMP) || needed.includes('/')) return command;
  const kept = keptBelowTemp(needed);
  const mounts = kept.map((path) => [path, mountPoint(path, source)] as const);
  return withMounts(command, [...mounts, [source, TEMP]], tools);
}

function isThere(program: string, source: string, workingDirectory: string, searchPath: string): boolean {
  if (!program.includes('/')) return findProgram(program, searchPath) !== undefined;
  const path = isAbsolute(program) ? program : resolve(workingDirectory, program);
  return (
    isExecutable(path) || (path.startsWith(`${TEMP}/`) && isExecutable(join(source, relative(TEMP, path))))
  );
}

/** Makes the place in the container's folder at which a path of the host below `/tmp` is shown. */
function mountPoint(path: string, source: string): string {
  const point = join(source, relative(TEMP, path));
  if (statSync(path).isDirectory()) mkdirSync(point, { recursive: true });
  else if (!existsSync(point)) {
    mkdirSync(dirname(point), { recursive: true });
    writeFileSync(point, '');
  }
  return point;
}
