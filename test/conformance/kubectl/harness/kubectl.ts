import { execFileSync } from 'node:child_process';

/** A kubectl on this machine. */
export interface Kubectl {
  /** The program's path, or its name where it is found by PATH. */
  readonly path: string;
  /** `1.36`. */
  readonly version: string;
}

/**
 * Asks a kubectl for its version.
 *
 * @throws Error when there is none, or when it cannot say
 */
export function askKubectl(path: string): Kubectl {
  try {
    const said = execFileSync(path, ['version', '--client', '-o', 'json'], { encoding: 'utf8' });
    const { gitVersion } = JSON.parse(said).clientVersion as { gitVersion: string };
    const version = /^v(\d+\.\d+)/.exec(gitVersion)?.[1];
    if (version === undefined) throw new Error(`it says ${gitVersion}`);
    return { path, version };
  } catch (cause) {
    throw new Error(`no version of ${path}; install kubectl, or name one by KUBECTL`, { cause });
  }
}
