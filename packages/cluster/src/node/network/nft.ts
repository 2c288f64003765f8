import { execFile } from 'node:child_process';

/** Far more than loading a table takes. */
const LIMIT_MS = 10_000;

/**
 * Runs commands of nft(8).
 *
 * @param commands in its own language, several lines at once or none of them
 * @param pid of a process in whose network namespace they are run: the enforcer of policies gives it @default that of this process
 * @throws Error with what nft said first
 */
export function runNft(commands: string, pid?: number): Promise<void> {
  const enter = pid === undefined ? [] : ['nsenter', '-t', String(pid), '-n', '--'];
  return run([...enter, 'nft', '-f', '-'], commands);
}

/** The same in a network namespace that is made for it and ends with it. */
export function tryNft(commands: string): Promise<void> {
  return run(['unshare', '-n', '--', 'nft', '-f', '-'], commands);
}

function run([file = '', ...args]: readonly string[], input: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = execFile(file, args, { timeout: LIMIT_MS }, (error, _stdout, stderr) => {
      if (error === null) resolve();
      else reject(new Error(`nft: ${stderr.trim().split('\n')[0] || error.message}`, { cause: error }));
    });
    child.stdin?.on('error', () => {}); // its exit says why
    child.stdin?.end(input);
  });
}
