import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InjectError } from '../../../experiment/injection/errors.ts';
import { runCommand } from '../../../experiment/node/command.ts';
import { NodeError } from '../../../experiment/node/node-error.ts';
import { requireTools } from '../../../experiment/node/tools.ts';

/** Path of the key from the Secret `id-rsa` in the helper; upstream's path and name. */
const KEY_PATH = '/mnt/ssh-privatekey';
export const KEY_SECRET = 'id-rsa';

/** A machine that does not answer in this time has no ssh for us. */
const CONNECT_SECONDS = 15;

/** The node to log in to, and the command to run there. */
interface SshOrder {
  readonly user: string;
  readonly address: string;
  /**
   * As upstream takes it: what follows `ssh … user@address` in a line of a shell here. So it may begin with further options of ssh, and
   * end with `; true`.
   */
  readonly command: string;
}

/**
 * Runs a command on a machine by ssh. That the connection breaks off is what such commands do, and is no error.
 *
 * @throws NodeError without key or ssh: nothing was touched · InjectError when the machine could not be reached or refused
 */
export async function runBySsh(
  order: SshOrder,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal; readonly keyPath?: string },
): Promise<void> {
  requireTools(['ssh'], `log in to ${order.address}`);
  const key = await readKey(options.keyPath ?? KEY_PATH);
  // ssh refuses keys that others may read, which files of a Secret are.
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-ssh-'));
  try {
    const path = join(folder, 'key');
    await writeFile(path, key.endsWith('\n') ? key : `${key}\n`, { mode: 0o600 });
    const accept = Array.from({ length: 256 }, (_, code) => code);
    const { timeoutMs, signal } = options;
    const { exitCode, stderr } = await runCommand(['/bin/sh', '-c', sshLine(order, path)], {
      accept,
      timeoutMs,
      signal,
    });
    const problem = sshProblem(exitCode, stderr);
    if (problem === undefined) return;
    throw new InjectError(
      `cannot run ${order.command} on ${order.user}@${order.address} by ssh: ${problem}; check SSH_USER, TARGET_NODE_IP, ` +
        `REBOOT_COMMAND and the key in Secret ${KEY_SECRET}`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readKey(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new NodeError(
      `there is no key for ssh: Secret ${KEY_SECRET} with the key ssh-privatekey has to be in the namespace of the engine`,
      { cause },
    );
  }
}

/** The line for the shell. User and address have been checked to be words. Pure. */
export function sshLine({ user, address, command }: SshOrder, keyPath: string): string {
  const options = [
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'BatchMode=yes',
    `ConnectTimeout=${CONNECT_SECONDS}`,
    'ServerAliveInterval=5',
    'ServerAliveCountMax=2',
  ];
  const words = [
    'ssh',
    '-i',
    `'${keyPath}'`,
    ...options.map((option) => `-o ${option}`),
    `${user}@${address}`,
  ];
  return `${words.join(' ')} ${command}`;
}

const REFUSED =
  /permission denied|connection refused|no route to host|network is unreachable|could not resolve|connection timed out|host key verification failed|operation timed out|error in libcrypto|invalid format|kex_exchange_identification|bad configuration option|not found|not allowed/i;
const BROKEN_OFF = /closed by remote host|connection reset|broken pipe|not responding|client_loop/i;

/**
 * Why a command did not get through; undefined when it did. Exit codes say little: a machine that goes down breaks the connection (255),
 * and the line may end with `; true`. Pure.
 */
export function sshProblem(exitCode: number, stderr: string): string | undefined {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('Warning: Permanently added'));
  const words = lines.slice(-3).join(' / ');
  if (BROKEN_OFF.test(words) && !/kex_exchange_identification/.test(words)) return undefined;
  if (REFUSED.test(words)) return words;
  if (exitCode === 0) return undefined;
  return `exit code ${exitCode}${words === '' ? '' : `: ${words}`}`;
}
