/**
 * AWS as `moto` serves it, a program of others (PyPI: moto[server]). It is looked for in the folder that TURNSOLE_CLIENTS names, then on PATH;
 * tests are skipped with that said where it is not there.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Programs } from '../../../clients/suite/programs.ts';

const program = new Programs(process.env).find('moto_server');

/** Why there is no AWS to test with; false when there is one. */
export const motoMissing: string | false =
  program === undefined
    ? 'moto_server (PyPI: moto[server]) is neither in TURNSOLE_CLIENTS nor on PATH'
    : false;

/** The account that moto has. */
export const ACCOUNT = '123456789012';

/** A server of moto. */
export interface Moto extends AsyncDisposable {
  readonly url: string;
}

/** Starts one on a free port, with nothing in it. */
export async function startMoto(): Promise<Moto> {
  if (program === undefined) throw new Error(String(motoMissing));
  const child = spawn(program, ['-H', '127.0.0.1', '-p', '0'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const port = await portOf(child);
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function portOf(child: ChildProcess): Promise<string> {
  let said = '';
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const hear = (chunk: Buffer): void => {
    said += chunk.toString();
    const port = /Running on http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1];
    if (port !== undefined) resolve(port);
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
  child.once('exit', () => reject(new Error(`moto_server ended: ${said}`)));
  return promise;
}
