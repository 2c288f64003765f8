import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { loadKubeconfig } from '@turnsole/kube/client/index';
import type { ClusterConfig } from '@turnsole/kube/client/types';

/** A running API server that is measured. */
export interface Target {
  readonly title: string;
  readonly config: ClusterConfig;
  /** Processes whose memory and processor time count; empty when they are not known. */
  readonly pids: readonly number[];
  /** Milliseconds from starting the process until it reports that it is ready. */
  readonly startMs?: number;
  /** What the ready line itself says, which leaves out Node and the loading of modules. */
  readonly saidMs?: number;
  /** The next line it prints that matches; only of processes that were started here. */
  nextLine(pattern: RegExp): Promise<RegExpExecArray>;
  stop(): Promise<void>;
}

const BIN = fileURLToPath(new URL('../../bin/turnsole.js', import.meta.url));

/** Starts `turnsole up` as users do, in a process and a state folder of its own. */
export async function startEmbedded(nodeOptions: readonly string[] = []): Promise<Target> {
  const state = mkdtempSync(join(tmpdir(), 'turnsole-bench-'));
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...nodeOptions, BIN, 'up', '--name', 'bench'], {
    env: { ...process.env, XDG_STATE_HOME: state },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const nextLine = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (line: string): void => {
        const found = pattern.exec(line);
        if (found === null) return;
        lines.off('line', look);
        resolve(found);
      };
      lines.on('line', look);
      lines.once('close', () => reject(new Error(`turnsole up ended without a line like ${pattern}`)));
    });
  const kubeconfigLine = nextLine(/^\s*kubeconfig\s+(\S+)/);
  const [, said] = await nextLine(/ready in (\d+) ms/);
  const startMs = performance.now() - startedAt;
  const [, kubeconfig] = await kubeconfigLine;
  if (child.pid === undefined) throw new Error('turnsole up has no process');
  return {
    title: 'turnsole',
    config: await loadKubeconfig({ path: kubeconfig }),
    pids: [child.pid],
    startMs,
    saidMs: Number(said),
    nextLine,
    stop: async () => {
      child.kill('SIGINT');
      await exited;
      rmSync(state, { recursive: true, force: true });
    },
  };
}

/** A cluster that runs already. */
export async function connectPeer(kubeconfig: string): Promise<Target> {
  const config = await loadKubeconfig({ path: kubeconfig });
  return { title: 'peer', config, pids: [], nextLine: printsNothing, stop: () => Promise.resolve() };
}

/** Starts the kube-rig's control plane: etcd, kube-apiserver, controller-manager, scheduler. */
export async function startRig(directory: string): Promise<Target> {
  const run = promisify(execFile);
  const startedAt = performance.now();
  const { stdout } = await run(join(directory, 'up.sh'), ['control-plane']);
  const kubeconfig = stdout.trim().split('\n').at(-1) ?? '';
  const startMs = performance.now() - startedAt;
  const data = join(kubeconfig, '..');
  const pids = ['etcd', 'apiserver', 'kcm', 'sched'].map((name) =>
    Number(readFileSync(join(data, `${name}.pid`), 'utf8')),
  );
  return {
    title: 'kube-apiserver + etcd',
    config: await loadKubeconfig({ path: kubeconfig }),
    pids,
    startMs,
    nextLine: printsNothing,
    stop: async () => {
      await run(join(directory, 'down.sh'));
    },
  };
}

function printsNothing(): Promise<never> {
  return Promise.reject(new Error('what this server prints is not read'));
}
