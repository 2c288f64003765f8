/** Connections from inside to the world: by pasta or slirp4netns, which carry them for a user who may make no links outside. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import type { Readable } from 'node:stream';
import { findProgram } from '@turnsole/kube/base/machine';
import { commandLine } from '@turnsole/kube/text/shell';
import type { Outward } from './messages.ts';

/** A program that carries connections. */
interface Carrier {
  readonly program: 'pasta' | 'slirp4netns';
  /** Address at which it passes questions on to the machine's own resolver. */
  readonly resolver: string;
  /** The words that connect the network of a process, and end with standard input. Ready: descriptor 3 has said something. */
  readonly words: (pid: number) => readonly string[];
}

/** A link-local address, which no pod and no service has. */
const RESOLVER = '169.254.1.53';

/**
 * The first that is there is taken: pasta copies nothing between its two sides. With it the loopback inside, which is that of pods on their node's
 * network, leads to what listens on the machine's, as it does for root; of other pods the machine's loopback is out of reach by both.
 */
const CARRIERS: readonly Carrier[] = [
  {
    program: 'pasta',
    resolver: RESOLVER,
    words: (pid) => {
      const closed = ['-t', 'none', '-u', 'none', '-T', 'auto', '-U', 'none'];
      const way = ['--config-net', '--no-map-gw', '--dns-forward', RESOLVER, ...closed];
      // It goes to the background when it is ready. It does not end with its network, so the shell ends it, or the cluster's reaper.
      const script = `pid=$(mktemp) && ${commandLine(['pasta', '--quiet', ...way, '--pid'])} "$pid" ${pid} >&2 && echo ready >&3 &&
exec 3>&- && carrier=$(cat "$pid") && rm -f "$pid" && cat > /dev/null; kill -s KILL "$carrier" 2>/dev/null`;
      return ['/bin/sh', '-c', script];
    },
  },
  {
    program: 'slirp4netns',
    resolver: '10.0.2.3',
    words: (pid) => {
      const fds = ['--ready-fd=3', '--exit-fd=0'];
      return [
        'slirp4netns',
        '--configure',
        '--mtu=65520',
        '--disable-host-loopback',
        ...fds,
        String(pid),
        'tap0',
      ];
    },
  },
];

/** Device by which they make the link inside. */
const TUNNEL = '/dev/net/tun';
const LIMIT_MS = 5_000;

/** Connections outward, and their end. */
interface OutwardLink {
  readonly outward: Outward;
  close(): void;
}

/** Which program carries the connections of a machine, or why there are none; pure. */
export function carrierOf(
  hasProgram: (name: string) => boolean,
  hasTunnel: boolean,
): Carrier | { readonly missing: string } {
  const found = CARRIERS.find(({ program }) => hasProgram(program));
  if (found === undefined)
    return { missing: 'neither pasta (package passt) nor slirp4netns is found in PATH' };
  return hasTunnel ? found : { missing: `this user may not open ${TUNNEL}` };
}

/** Connects the network of a process to the world. Never rejects: where that does not work, it says why. */
export async function connectOutward(
  pid: number,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<OutwardLink> {
  const carrier = carrierOf((name) => findProgram(name, env['PATH']) !== undefined, mayOpenTunnel());
  if ('missing' in carrier) return { outward: carrier, close: () => {} };
  const { program, resolver, words } = carrier;
  const [file = '', ...args] = words(pid);
  const child = spawn(file, args, { env, stdio: ['pipe', 'ignore', 'pipe', 'pipe'], detached: true });
  const close = (): void => void child.stdin?.end();
  child.stdin?.on('error', () => {});
  const said = await readyOrFailed(child, signal);
  // It has its reasons on standard error, and goes on to write there.
  child.stderr?.resume();
  for (const stream of [child.stderr, child.stdio[3]]) (stream as Readable & { unref?(): void }).unref?.();
  (child.stdin as unknown as { unref?(): void }).unref?.();
  child.unref();
  if (said === undefined) return { outward: { resolver }, close };
  close();
  return { outward: { missing: `${program} ended: ${said}` }, close: () => {} };
}

function mayOpenTunnel(): boolean {
  try {
    accessSync(TUNNEL, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Undefined when it is ready, else what it said. */
async function readyOrFailed(child: ChildProcess, signal: AbortSignal): Promise<string | undefined> {
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const ended = new AbortController();
  const limit = AbortSignal.any([signal, ended.signal, AbortSignal.timeout(LIMIT_MS)]);
  const lastLine = (): string => errors.trim().split('\n').at(-1) ?? '';
  try {
    return await Promise.race([
      once(child.stdio[3] as Readable, 'data', { signal: limit }).then(() => undefined),
      once(child, 'exit', { signal: limit }).then(([code]) => lastLine() || `exit code ${code}`),
    ]);
  } catch (error) {
    return lastLine() || (error as Error).message;
  } finally {
    ended.abort();
  }
}
