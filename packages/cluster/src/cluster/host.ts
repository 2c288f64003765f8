/** First stage: what a cluster takes of the machine before anything of it runs. */
import { realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from '@turnsole/kube/base/temporary-folder';
import type { UndoStack } from '../base/undo-stack.ts';
import {
  type AddressBlock,
  claimAddressBlock,
  type IsolationOutcome,
  isolatedAddresses,
  openIsolation,
  Reaper,
} from '../node/index.ts';
import type { SimulatedRuntimeOptions } from '../node/simulated/runtime-options.ts';
import type { KeptCluster } from './kept-cluster.ts';
import { tooFewOpenFiles } from './open-files.ts';
import { OWNER_FILE, ownerLine } from './run-owner.ts';
import type { EmbeddedClusterOptions } from './types.ts';

/** Folders, addresses and means of isolation that belong to one cluster until it is closed. */
export interface Host {
  /** The folder that the cluster is kept in, locked. */
  readonly kept: KeptCluster | undefined;
  /** Temporary folder of everything that pods run with. */
  readonly runDir: string;
  /** Folder of keys, certificates and claims: the data folder, or else the temporary one. */
  readonly dataDir: string;
  readonly reaper: Reaper;
  readonly nodeCount: number;
  /** Undefined where pods are processes. */
  readonly simulated: SimulatedRuntimeOptions | undefined;
  readonly isolated: IsolationOutcome;
  /** Why pods share networks, processes and files; undefined where they do not. */
  readonly notIsolated: string | undefined;
  readonly addresses: AddressBlock;
}

const SIMULATED: SimulatedRuntimeOptions = { kind: 'simulated' };

export async function claimHost(options: EmbeddedClusterOptions, stack: UndoStack): Promise<Host> {
  const { onProblem = (message: string) => process.emitWarning(message) } = options;
  // Locked before anything else is touched; closed after everything that writes.
  const kept = options.dataDir === undefined ? undefined : await openKeptCluster(options.dataDir);
  stack.defer(() => kept?.close());
  const runDir = makeRunDir();
  stack.defer(() => rmSync(runDir, { recursive: true, force: true, maxRetries: 3 }));
  await kept?.begin(runDir);
  const reaper = new Reaper({ dataDir: runDir, removeDataDir: true });
  stack.defer(() => reaper.close());
  const nodeCount = options.nodes ?? kept?.nodes ?? 1;
  const simulated = simulatedOptions(options.runtime);
  const few = tooFewOpenFiles();
  if (few !== undefined) onProblem(few);
  const isolated: IsolationOutcome = simulated
    ? { missing: 'pods are simulated' }
    : await openIsolation({
        mode: options.isolation ?? 'auto',
        dataDir: runDir,
        nodes: nodeCount,
        addressBlock: kept?.addressBlock,
        reaper,
        notRootless: options.notRootless,
        outside: options.outside,
      });
  const { isolation } = isolated;
  stack.defer(() => isolation?.close());
  const addresses =
    isolation === undefined ? await claimAddressBlock(kept?.addressBlock) : isolatedAddresses(isolation);
  stack.defer(() => addresses.release());
  return {
    kept,
    runDir,
    dataDir: kept?.directory ?? runDir,
    reaper,
    nodeCount,
    simulated,
    isolated,
    notIsolated: isolated.isolation === undefined ? isolated.missing : undefined,
    addresses,
  };
}

function simulatedOptions(runtime: EmbeddedClusterOptions['runtime']): SimulatedRuntimeOptions | undefined {
  if (typeof runtime === 'object') return runtime;
  return runtime === 'simulated' ? SIMULATED : undefined;
}

function makeRunDir(): string {
  // The real path: the reaper finds processes by the folder in their environment.
  const runDir = realpathSync(makeTemporaryFolder('turnsole-'));
  writeFileSync(join(runDir, OWNER_FILE), ownerLine());
  return runDir;
}

/** Loads the code for data folders only when one is used. */
async function openKeptCluster(directory: string): Promise<KeptCluster> {
  const { KeptCluster } = await import('./kept-cluster.ts');
  return new KeptCluster(directory);
}
