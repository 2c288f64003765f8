import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { CommandError } from '../../services/errors.ts';
import { RunningRecords } from '../user-files.ts';

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

/** The cluster that commands mean when they name none. */
export const DEFAULT_CLUSTER = 'default';

/** Refuses a text that cannot name a cluster. @param option that it was given by @throws CommandError (bad input) */
export function checkClusterName(option: string, name: string): void {
  if (CLUSTER_NAME.test(name)) return;
  const message = `${option} ${JSON.stringify(name)}: expected lower-case letters, digits and dashes`;
  throw new CommandError(message, 'OPTION_INVALID');
}

/** The words with which another command means a cluster of this name: ` --name shop`, none for the default one. Pure. */
export function nameOption(name: string): string {
  return name === DEFAULT_CLUSTER ? '' : ` --name ${name}`;
}

/** The running clusters of this user. */
export class ClusterRegistry {
  readonly #records: RunningRecords<RunningCluster>;

  constructor(env: NodeJS.ProcessEnv) {
    this.#records = new RunningRecords(env, 'clusters');
  }

  /** Path of a detached cluster's log. */
  logFile(name: string): string {
    return join(this.#records.folder, `${name}.log`);
  }

  /** Makes the folder. @throws CommandError (could not run) */
  prepare(): Promise<void> {
    return this.#records.prepare();
  }

  /** Remembers a cluster. @throws CommandError (could not run) */
  add(cluster: RunningCluster): Promise<void> {
    return this.#records.add(cluster.name, cluster);
  }

  remove(name: string): Promise<void> {
    return this.#records.remove(name);
  }

  names(): Promise<string[]> {
    return this.#records.names();
  }

  /** The cluster of that name if it lives; what is remembered of one that died is removed. */
  async find(name: string): Promise<RunningCluster | undefined> {
    const cluster = await this.#records.read(name);
    if (cluster === undefined) return undefined;
    const connection = await connect(cluster.socketPath);
    if (connection === undefined) {
      await this.remove(name);
      return undefined;
    }
    connection.destroy();
    return cluster;
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
