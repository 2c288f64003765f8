import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createConnection, type Socket } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { makeFolders } from '../../process/make-folders.ts';
import { CommandError } from '../../services/errors.ts';

/** The record of a cluster that `turnsole up` started, so that `down` and a second `up` find it. */
export interface RunningCluster {
  readonly name: string;
  readonly pid: number;
  readonly server: string;
  readonly kubeconfig: string;
  /** Unix socket of its API server: a process that can connect to it knows that the cluster lives. */
  readonly socketPath: string;
  readonly startedAt: string;
}

/** Names are part of a file's name. */
const CLUSTER_NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Whether a text can name a cluster: lower-case letters, digits and dashes, as in Kubernetes. */
export function isClusterName(name: string): boolean {
  return CLUSTER_NAME.test(name);
}

/** The running clusters of this user: one small file each below the state folder of the XDG base directories. */
export class ClusterRegistry {
  readonly #folder: string;

  constructor(env: NodeJS.ProcessEnv) {
    const state = env.XDG_STATE_HOME ?? join(env.HOME ?? homedir(), '.local', 'state');
    this.#folder = join(state, 'turnsole', 'clusters');
  }

  /** Path of a detached cluster's log. */
  logFile(name: string): string {
    return join(this.#folder, `${name}.log`);
  }

  /** Makes the folder. @throws CommandError (could not run) */
  prepare(): Promise<void> {
    return this.#write(async () => {
      makeFolders(this.#folder, 0o700);
    });
  }

  /** Remembers a cluster. @throws CommandError (could not run) */
  async add(cluster: RunningCluster): Promise<void> {
    await this.prepare();
    await this.#write(() =>
      writeFile(this.#file(cluster.name), `${JSON.stringify(cluster, null, 2)}\n`, { mode: 0o600 }),
    );
  }

  async #write(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const message = `cannot remember clusters in ${this.#folder}: ${(error as Error).message}; set XDG_STATE_HOME to a folder that can be written`;
      throw new CommandError(message, 'FILE_NOT_WRITTEN', { cause: error });
    }
  }

  async remove(name: string): Promise<void> {
    await rm(this.#file(name), { force: true });
  }

  async names(): Promise<string[]> {
    const files = await readdir(this.#folder).catch(() => []);
    return files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length));
  }

  /** The cluster of that name if it lives; a file left by one that died is removed. */
  async find(name: string): Promise<RunningCluster | undefined> {
    const text = await readFile(this.#file(name), 'utf8').catch(() => undefined);
    if (text === undefined) return undefined;
    const cluster = JSON.parse(text) as RunningCluster;
    const connection = await connect(cluster.socketPath);
    if (connection === undefined) {
      await this.remove(name);
      return undefined;
    }
    connection.destroy();
    return cluster;
  }

  #file(name: string): string {
    return join(this.#folder, `${name}.json`);
  }
}

/** A connection to a cluster's socket, or undefined when it is not served any more. */
export function connect(socketPath: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection(socketPath);
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(undefined));
  });
}
