import type { Service } from '@turnsole/kube/kinds/core';
import type { ReferenceSource } from '../env/references.ts';

/** Settings that all containers of the cluster share. */
export interface LaunchSettings {
  /** Folder of the built-in images on the host; its commands are in front of PATH. */
  readonly imagesDirectory: string;
  /** Where containers find the API server: where it listens, or its service. */
  readonly apiServer: { readonly host: string; readonly port: number };
  /** File with names and addresses for the preload; see preload.cjs. */
  readonly hostsFile: string;
  /** Path of the preload of Node programs. */
  readonly preload: string;
  /** Services whose variables containers get, by namespace. */
  readonly services: (namespace: string) => readonly Service[];
  readonly references: ReferenceSource;
  /** Socket of the machine, for containers that may reach it (machine/machine-server.ts); undefined without one. */
  readonly machineSocket?: string;
}
