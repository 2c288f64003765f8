import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
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

/** Whether a text can name a cluster: lower-case letters, digits and dashes, as in Kubernetes. */
export function isClusterName(name: string): boolean {
  return CLUSTER_NAME.test(name);
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
