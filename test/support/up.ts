import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import { createClient, loadKubeconfig } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import { applyManifests, sortForApply } from '../../src/services/manifests/apply.ts';
import { parseManifests } from '../../src/services/manifests/load.ts';
import { awaitWorkloads } from '../../src/services/run/await-workloads.ts';
import { temporaryFolder, turnsole } from './turnsole.ts';

/** A cluster started by `turnsole up --detach`, as a user starts it; stopped by `turnsole down` at the end of the scope. */
export interface DetachedCluster extends AsyncDisposable {
  readonly kubeconfig: string;
  /** A folder for files of the test. */
  readonly folder: string;
  readonly client: KubeClient;
}

let clusters = 0;

/**
 * Starts a detached cluster of its own (own name, own state folder).
 *
 * @param variables further ones of its environment
 */
export async function detachedCluster(
  args: readonly string[] = [],
  variables: NodeJS.ProcessEnv = {},
): Promise<DetachedCluster> {
  const folder = await temporaryFolder();
  const name = `test-${process.pid}-${clusters++}`;
  const kubeconfig = join(folder.path, 'kubeconfig');
  const env = { ...variables, XDG_STATE_HOME: join(folder.path, 'state') };
  const started = await turnsole(
    ['up', '--detach', '--name', name, '--kubeconfig', kubeconfig, ...args],
    env,
  );
  if (started.code !== 0) throw new Error(`up --detach failed:\n${started.stdout}\n${started.stderr}`);
  const client = createClient(await loadKubeconfig({ path: kubeconfig }));
  return {
    kubeconfig,
    folder: folder.path,
    client,
    [Symbol.asyncDispose]: async () => {
      client.close();
      const stopped = await turnsole(['down', '--name', name], env);
      await folder[Symbol.asyncDispose]();
      if (stopped.code !== 0) throw new Error(`down failed:\n${stopped.stdout}\n${stopped.stderr}`);
    },
  };
}

/** Output of a program that must succeed. */
export function output(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { env: { ...process.env, ...env } }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${program} ${args.join(' ')}: ${error.message}\n${stdout}\n${stderr}`));
    });
  });
}

const READY_TIMEOUT_MS = 60_000;

/** Applies manifests and waits until their workloads are ready. */
export async function applyText(client: KubeClient, text: string): Promise<void> {
  const { signal } = new AbortController();
  await awaitWorkloads(await applyObjects(client, text), {
    client,
    timeoutMs: READY_TIMEOUT_MS,
    signal,
    patient: false,
    onReady: () => {},
  });
}

/** Applies a YAML text and waits for nothing. */
export function applyObjects(client: KubeClient, text: string): ReturnType<typeof applyManifests> {
  const { signal } = new AbortController();
  const manifests = sortForApply(parseManifests('test.yaml', text, []));
  return applyManifests(manifests, { client, kinds: new KindResolver(client), namespace: 'default', signal });
}
