import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childrenOf } from '@turnsole/kube/base/machine';
import { createClient, loadKubeconfig } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import { TurnsoleProcess } from './turnsole.ts';
import { type Somebody, unprivilegedUser, whyNotUnprivileged } from './unprivileged.ts';

/** Why an ordinary user cannot be root of namespaces on this machine; false when he can. */
export async function whyNotRootless(): Promise<string | false> {
  const why = await whyNotUnprivileged();
  if (why !== false) return why;
  await using user = await unprivilegedUser();
  const words = [...user.prefix, 'unshare', '--user', '--map-root-user', '--net', '--mount'];
  const [program = '', ...args] = [...words, 'ip', 'link', 'set', 'lo', 'up'];
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return status === 0 ? false : `users of this machine have no namespaces: ${stderr.trim()}`;
}

/** A cluster of an ordinary user who started it by `turnsole up`, and a client of his in the machine's network. */
export interface UserCluster extends AsyncDisposable {
  readonly up: TurnsoleProcess;
  readonly client: KubeClient;
  readonly user: Somebody;
  /** The process inside. */
  readonly insidePid: number;
  /** Folder of what its pods run with. */
  readonly runDir: string;
}

/** Starts one, which is closed, and its user's folder removed, at the end of the scope. @param given a user who has prepared something */
export async function userCluster(args: readonly string[] = [], given?: Somebody): Promise<UserCluster> {
  const user = given ?? (await unprivilegedUser());
  const kubeconfig = join(user.folder, 'kubeconfig');
  const up = new TurnsoleProcess(
    ['up', '--isolation', 'full', '--kubeconfig', kubeconfig, ...args],
    user.env,
    user.prefix,
  );
  await up.line(/stop it with/);
  const client = createClient(await loadKubeconfig({ path: kubeconfig }));
  const insidePid = childrenOf(up.child.pid ?? 0)[0] ?? assert.fail('there is no process inside');
  return {
    up,
    client,
    user,
    insidePid,
    runDir: runDirOf(up),
    [Symbol.asyncDispose]: async () => {
      client.close();
      await up.stop('SIGTERM');
      await user[Symbol.asyncDispose]();
    },
  };
}

/** The cluster's folder, by the file that says whose it is. */
function runDirOf(up: TurnsoleProcess): string {
  const inside = String(childrenOf(up.child.pid ?? 0)[0]);
  const found = readdirSync(tmpdir())
    .filter((name) => name.startsWith('turnsole-') && existsSync(join(tmpdir(), name, 'owner')))
    .find((name) => readFileSync(join(tmpdir(), name, 'owner'), 'utf8').split(' ')[2] === inside);
  return join(tmpdir(), found ?? assert.fail('the cluster has no folder'));
}
