import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('./server.ts', import.meta.url));

/** The server as one file in the folder: it starts in a fraction of the time, and every seed starts it at least once. */
export async function bundleServer(directory: string): Promise<string> {
  const { build } = await import('esbuild');
  const outfile = join(directory, 'server.mjs');
  await build({
    entryPoints: [SERVER],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'error',
  });
  return outfile;
}

/** How a server is started. */
export interface ServerSettings {
  /** What is run. */
  readonly program: string;
  readonly directory: string;
  readonly runDir: string;
  readonly historyLimit: number;
  readonly checkpointBytes: number;
}

export interface Answer {
  readonly status: number;
  readonly body: Fields;
}

/** JSON of an answer, read field by field. */
export interface Fields {
  readonly [field: string]: unknown;
}

/** A server in a process of its own, and requests to it over its Unix socket. */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #settings: ServerSettings;
  readonly #exited: Promise<unknown>;
  #said = '';
  #token = '';

  constructor(settings: ServerSettings) {
    this.#settings = settings;
    const { program, directory, runDir, historyLimit, checkpointBytes } = settings;
    this.#child = spawn(
      process.execPath,
      [program, directory, runDir, String(historyLimit), String(checkpointBytes)],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    this.#exited = once(this.#child, 'exit');
    this.#child.stderr?.on('data', (piece: Buffer) => {
      this.#said += piece.toString();
    });
  }

  /** Resolves when it answers; rejects with what it said when it ends before. */
  async ready(): Promise<void> {
    const { stdout } = this.#child;
    if (stdout === null) throw new Error('the server has no output');
    const line = once(createInterface(stdout), 'line');
    await Promise.race([
      line,
      this.#exited.then(() => {
        throw new Error(`the server did not start: ${this.#said}`);
      }),
    ]);
    this.#token = readFileSync(join(this.#settings.directory, 'admin.token'), 'utf8').trim();
  }

  /** Kills it and resolves when it is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
    this.#agent.destroy();
  }

  /** One request; undefined when the connection ended before the answer was complete. */
  call(method: string, path: string, body?: unknown, type = 'application/json'): Promise<Answer | undefined> {
    return new Promise((resolve) => {
      const sent = this.#send(method, path, type);
      sent.on('response', (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', () => resolve(undefined));
        response.on('close', () => {
          if (!response.complete) resolve(undefined);
          else
            resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(pieces).toString()) });
        });
      });
      sent.on('error', () => resolve(undefined));
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** The lines of a watch as they come, until the connection ends. */
  watch(path: string, onLine: (line: Fields) => void): void {
    const sent = this.#send('GET', path, 'application/json');
    sent.on('response', (response) => {
      let rest = '';
      response.on('data', (piece: Buffer) => {
        const lines = (rest + piece.toString()).split('\n');
        // A line that was cut off by the kill was not received.
        rest = lines.pop() ?? '';
        for (const line of lines) onLine(JSON.parse(line));
      });
      response.on('error', () => {});
    });
    sent.on('error', () => {});
    sent.end();
  }

  #send(method: string, path: string, type: string): ClientRequest {
    return request({
      socketPath: join(this.#settings.runDir, 'apiserver.sock'),
      agent: path.includes('watch=1') ? false : this.#agent,
      method,
      path,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': type },
    });
  }
}
