import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { promisify } from 'node:util';
import { childrenOf } from '@turnsole/kube/base/machine';
import { commandLine } from '@turnsole/kube/text/shell';
import { sendSignal } from './orphaned-processes.ts';
import type { TerminalSize } from './types.ts';

const run = promisify(execFile);

/** The program that makes terminals on this machine; found out at the first use. */
let maker: Promise<'util-linux' | 'util-linux-with-echo' | 'bsd' | undefined> | undefined;

/** The message for a user where no terminal can be made. */
export const NO_TERMINAL = 'no terminal can be made here: install `script` (util-linux); using pipes instead';

/**
 * Gives the command that runs `command` on a new terminal and copies between that and its own standard streams, or
 * undefined where the machine has nothing for that. Node cannot make terminals without a native addon; `script` of
 * util-linux is in the base system of nearly every Linux, and macOS has one of its own.
 */
export async function terminalCommand(command: readonly string[]): Promise<readonly string[] | undefined> {
  maker ??= findMaker();
  const found = await maker;
  switch (found) {
    case undefined:
      return undefined;
    case 'bsd':
      return ['script', '-q', '/dev/null', ...command];
    default: {
      // Its own input is no terminal, so it would switch echo off.
      const echo = found === 'util-linux-with-echo' ? ['-E', 'always'] : [];
      return ['script', '-qef', ...echo, '-c', `exec ${commandLine(command)}`, '/dev/null'];
    }
  }
}

async function findMaker(): Promise<'util-linux' | 'util-linux-with-echo' | 'bsd' | undefined> {
  if (process.platform === 'darwin') return 'bsd';
  try {
    // busybox has a `script` as well, which knows neither the option nor exit codes.
    const { stdout } = await run('script', ['--help']);
    if (!stdout.includes('--return')) return undefined;
    return stdout.includes('--echo') ? 'util-linux-with-echo' : 'util-linux';
  } catch {
    return undefined;
  }
}

/** How often it looks for a terminal that is just being made: about a second in all. */
const TERMINAL_LOOKS = 50;
const BETWEEN_LOOKS_MS = 20;

/**
 * Sets the size of the terminal that the wrapper has made; Linux only, does nothing when it has ended. The first size
 * comes with the command, when the wrapper may not have made the terminal yet and has no way to report it.
 */
export function resizeTerminal(
  wrapper: number,
  { columns, rows }: TerminalSize,
  looks = TERMINAL_LOOKS,
): void {
  const [terminal] = onTerminal(wrapper);
  if (terminal === undefined) {
    if (looks > 1)
      setTimeout(() => resizeTerminal(wrapper, { columns, rows }, looks - 1), BETWEEN_LOOKS_MS).unref();
    return;
  }
  // The kernel informs the programs on it by SIGWINCH. A terminal that has gone meanwhile needs no size.
  // By way of its process, as it may be one of another mount namespace.
  const path = `/proc/${terminal}/fd/0`;
  execFile('stty', ['-F', path, 'rows', String(rows), 'cols', String(columns)], () => {});
}

/** SIGKILL to what runs on the wrapper's terminal, which is a session of its own. */
export function killOnTerminal(wrapper: number): void {
  for (const pid of onTerminal(wrapper)) sendSignal(-pid, 'SIGKILL');
}

/** The first processes below a wrapper that have a terminal as their input: those that `script` made. */
function onTerminal(wrapper: number): number[] {
  return childrenOf(wrapper).flatMap((pid) => (hasTerminal(pid) ? [pid] : onTerminal(pid)));
}

/** Linux's numbers for the program's side of terminals; the name says nothing in another mount namespace. */
const TERMINAL_MAJORS = { from: 136, to: 143 } as const;

function hasTerminal(pid: number): boolean {
  try {
    const major = Math.floor(statSync(`/proc/${pid}/fd/0`).rdev / 256);
    return major >= TERMINAL_MAJORS.from && major <= TERMINAL_MAJORS.to;
  } catch {
    return false;
  }
}
