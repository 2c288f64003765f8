import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { loadKubeconfig } from '../../src/kube/client/index.ts';
import type { ClusterConfig } from '../../src/kube/client/types.ts';

/** A running API server that is measured. */
export interface Target {
  readonly title: string;
  readonly config: ClusterConfig;
  /** Processes whose memory and processor time count; empty when they are not known. */
  readonly pids: readonly number[];
  /** Milliseconds from starting the process to being told that it is ready. */
  readonly startMs?: number;
  /** What the ready line itself says, which leaves out Node and the loading of modules. */
  readonly saidMs?: number;
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
  let startMs = 0;
  let saidMs: number | undefined;
  let kubeconfig: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    const ready = /ready in (\d+) ms/.exec(line);
    if (ready !== null) {
      startMs = performance.now() - startedAt;
      saidMs = Number(ready[1]);
    }
    kubeconfig ??= /^\s*kubeconfig\s+(\S+)/.exec(line)?.[1];
    if (kubeconfig !== undefined && saidMs !== undefined) break;
  }
  if (kubeconfig === undefined || saidMs === undefined || child.pid === undefined) {
    throw new Error('turnsole up ended without a ready line and a kubeconfig; see what it said above');
  }
  child.stdout.resume();
  return {
    title: 'turnsole',
    config: await loadKubeconfig({ path: kubeconfig }),
    pids: [child.pid],
    startMs,
    saidMs,
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
  return { title: 'peer', config, pids: [], stop: () => Promise.resolve() };
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
    stop: async () => {
      await run(join(directory, 'down.sh'));
    },
  };
}
