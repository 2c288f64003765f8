import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A one-node Kubernetes on this machine, made by scripts that live outside of this project; the folder is named by KUBE_RIG. */
export interface Rig extends AsyncDisposable {
  readonly kubeconfig: string;
}

/**
 * Uses the rig that is up, or starts it; one that was started is stopped at the end of the scope. What is left of one that has died goes
 * first: with its data a new one would begin with the objects of a suite that was cut off.
 *
 * @param scripts folder with `up.sh` and `down.sh`
 */
export async function openRig(scripts: string): Promise<Rig> {
  const folder = process.env.RIG_DIR ?? '/tmp/kube-rig';
  const kubeconfig = join(folder, 'admin.kubeconfig');
  const isUp = existsSync(kubeconfig) && (await answers(kubeconfig));
  if (!isUp) {
    if (existsSync(folder)) await show(join(scripts, 'down.sh'), []);
    await show(join(scripts, 'up.sh'), ['node']);
  }
  return {
    kubeconfig,
    [Symbol.asyncDispose]: async () => {
      if (!isUp) await show(join(scripts, 'down.sh'), []);
    },
  };
}

async function answers(kubeconfig: string): Promise<boolean> {
  try {
    await run('kubectl', ['--kubeconfig', kubeconfig, '--request-timeout=5s', 'get', 'nodes']);
    return true;
  } catch {
    return false;
  }
}

/** Builds the images of this checkout as `image.sh` has it, and loads them into the rig's node. */
export async function buildImages(scripts: string, names: readonly string[]): Promise<void> {
  await show(join(import.meta.dirname, 'image.sh'), names, { KUBE_RIG: scripts });
}

/** Runs a script whose output people see. @throws Error with its exit code */
async function show(script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<void> {
  const child = spawn(script, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${script} ${args.join(' ')} ended with code ${code}`);
}
