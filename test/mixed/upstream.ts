import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Names of upstream's programs in the folder that TURNSOLE_UPSTREAM names. */
const FILES = { operator: 'chaos-operator', runner: 'chaos-runner', experiment: 'go-runner' } as const;

/** Paths of upstream's programs. */
export type UpstreamPrograms = Readonly<Record<keyof typeof FILES, string>>;

/** Upstream's programs, or why there are none. */
export function upstreamPrograms(env: NodeJS.ProcessEnv): UpstreamPrograms | string {
  const folder = env.TURNSOLE_UPSTREAM ?? '';
  if (folder === '')
    return 'TURNSOLE_UPSTREAM names no folder with upstream’s programs; see test/mixed/README.md';
  const missing = Object.values(FILES).filter((file) => !existsSync(join(folder, file)));
  if (missing.length > 0)
    return `TURNSOLE_UPSTREAM=${folder} has no ${missing.join(', ')}; see test/mixed/README.md`;
  if (process.getuid?.() !== 0)
    return 'upstream’s programs find their token in pods with files of their own only: root on Linux';
  return {
    operator: join(folder, FILES.operator),
    runner: join(folder, FILES.runner),
    experiment: join(folder, FILES.experiment),
  };
}

/** Starts upstream's operator as a process of its own; it ends with the scope. */
export function startUpstreamOperator(
  program: string,
  kubeconfig: string,
  runnerImage: string,
): AsyncDisposable {
  const child = spawn(
    program,
    ['--metrics-bind-address=127.0.0.1:0', '--health-probe-bind-address=127.0.0.1:0'],
    {
      stdio: process.env.MIXED_VERBOSE === undefined ? 'ignore' : 'inherit',
      env: {
        PATH: process.env.PATH ?? '',
        KUBECONFIG: kubeconfig,
        WATCH_NAMESPACE: '',
        ANALYTICS: 'FALSE',
        CHAOS_RUNNER_IMAGE: runnerImage,
      },
    },
  );
  return {
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
