import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ImageEntry } from '@turnsole/cluster/node/images/image-entry';
import type { ChaosCluster } from '../../embedded/index.ts';
import { complain } from '../../process/complain.ts';
import { PACKAGE_ROOT } from '../../process/package-root.ts';
import { type ClusterOptions, openCluster, type RuntimeOptions } from '../../runs/session/open-cluster.ts';
import { CommandError } from '../../services/errors.ts';
import type { Project } from '../../services/project/read-project.ts';
import { buildFor, openProject, type ProjectOptions, withProject } from '../project.ts';
import { stopRequest } from '../signals.ts';
import { PullLines } from '../up/pull-lines.ts';
import { ClusterRegistry, checkClusterName, nameOption, type RunningCluster } from '../up/registry.ts';
import { runtimeArguments } from '../up/runtime-options.ts';
import { writeKubeconfig } from '../up/write-kubeconfig.ts';

/** Options of `turnsole up`, as the command line gives them. */
export interface UpOptions extends RuntimeOptions, ProjectOptions {
  readonly name: string;
  readonly detach?: boolean;
  readonly kubeconfig?: string;
  /** Folder in which the cluster is kept. */
  readonly data?: string;
  readonly port: number;
  readonly nodes?: number;
  readonly isolation?: ClusterOptions['isolation'];
  readonly image?: ReadonlyMap<string, ImageEntry>;
  /** false: the cluster has no operator of its own, so that another one can work. */
  readonly operator?: boolean;
  /** false: workflows are left to another controller. */
  readonly workflows?: boolean;
  readonly verbose?: boolean;
  /** Folders and packages with faults of the user's own. */
  readonly faultsFrom?: readonly string[];
}

/** Starts an embedded cluster that stays until Ctrl-C or `turnsole down`; with `--detach` in the background. */
export async function run(given: UpOptions, isGiven: (option: string) => boolean): Promise<number> {
  const project = await openProject(given);
  const options = withProject(given, project, isGiven);
  checkClusterName('--name', options.name);
  const registry = new ClusterRegistry(process.env);
  const running = await registry.find(options.name);
  if (running !== undefined) {
    throw new CommandError(
      `a cluster named ${running.name} runs already (pid ${running.pid}, kubeconfig ${running.kubeconfig}); ` +
        `stop it with "turnsole down --name ${running.name}" or choose another --name`,
      'CLUSTER_EXISTS',
    );
  }
  // The process in the background reads the images of the project itself.
  if (options.detach === true) return runDetached({ ...options, image: given.image }, registry);
  return runForeground(options, project, registry);
}

async function runForeground(
  options: UpOptions,
  project: Project | undefined,
  registry: ClusterRegistry,
): Promise<number> {
  const starting = new AbortController();
  const stopped = stopRequest();
  void stopped.then((cause) => starting.abort(new CommandError(`stopped by ${cause}`, 'STOPPED')));
  const step = (message: string): void => console.log(message);
  await buildFor(project, { ...options, kubeconfig: undefined }, { step }, starting.signal);
  const startedAt = performance.now();
  const { kubeconfig, data, operator = true, workflows = true, ...clusterOptions } = options;
  const session = await openCluster(
    {
      ...clusterOptions,
      ...(data === undefined ? {} : { dataDir: data }),
      withOperator: operator ? 'yielding' : false,
      withWorkflows: workflows ? 'yielding' : false,
      warn: complain,
    },
    starting.signal,
  );
  const { embedded } = session;
  if (embedded === undefined) throw new Error('an embedded cluster was asked for');
  const running: RunningCluster = {
    name: options.name,
    pid: process.pid,
    server: embedded.server,
    kubeconfig: kubeconfig === undefined ? embedded.kubeconfigPath : resolve(kubeconfig),
    socketPath: embedded.adminConfig.socketPath ?? '',
    startedAt: new Date().toISOString(),
  };
  try {
    if (kubeconfig !== undefined) await writeKubeconfig(embedded.kubeconfigPath, running.kubeconfig);
    await registry.add(running);
    console.log(`embedded cluster ready in ${Math.round(performance.now() - startedAt)} ms`);
    console.log(instructions(running, options));
    for (const { available, note } of embedded.capabilities) if (!available) console.log(`note: ${note}`);
    // Elsewhere no image is pulled.
    const isPulling = embedded.notIsolated === undefined && options.runtime !== 'simulated';
    await using _ = isPulling ? new PullLines(session.client, step) : undefined;
    process.send?.(running);
    if (process.send !== undefined) process.disconnect();
    console.log(`stopping (${await Promise.race([stopped, untilLost(embedded)])})`);
  } finally {
    await session.close();
    await registry.remove(options.name);
  }
  return 0;
}

/** @throws CommandError when a process of the cluster's own has ended although nobody stopped it; never resolves */
async function untilLost({ lost }: Pick<ChaosCluster, 'lost'>): Promise<never> {
  const how = await (lost ?? new Promise<never>(() => {}));
  throw new CommandError(`the process of the embedded cluster is gone: ${how}`, 'EMBEDDED_CLUSTER_FAILED');
}

/** What a user needs to know of a running cluster. */
function instructions(cluster: RunningCluster, options: UpOptions): string {
  const name = nameOption(options.name);
  return [
    `  API server   ${cluster.server}`,
    `  kubeconfig   ${cluster.kubeconfig}`,
    '',
    `  export KUBECONFIG=${cluster.kubeconfig}`,
    '  kubectl get nodes',
    '  npx turnsole run chaos.yaml --kubeconfig "$KUBECONFIG"',
    '',
    options.detach === true || process.send !== undefined
      ? `stop it with: turnsole down${name}`
      : `stop it with Ctrl-C or: turnsole down${name}`,
  ].join('\n');
}

async function runDetached(options: UpOptions, registry: ClusterRegistry): Promise<number> {
  await registry.prepare();
  const logPath = registry.logFile(options.name);
  const log = await open(logPath, 'w', 0o600);
  const main = join(PACKAGE_ROOT, 'bin', 'turnsole.js');
  const child = spawn(process.execPath, [main, 'up', ...argumentsOf(options)], {
    detached: true,
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
  });
  try {
    const cluster = await new Promise<RunningCluster>((ready, failed) => {
      child.once('message', (message) => ready(message as RunningCluster));
      child.once('error', failed);
      child.once('exit', (code) => failed(new Error(`it ended with exit code ${code}`)));
    });
    console.log(`embedded cluster ready, pid ${cluster.pid}, log ${logPath}`);
    console.log(instructions(cluster, options));
    return 0;
  } catch (error) {
    const output = await readFile(logPath, 'utf8').catch(() => '');
    // Prefix and code are put on again when this is printed.
    const said = output
      .trimEnd()
      .replaceAll(/^turnsole: /gm, '')
      .replace(/ \[[A-Z_]+\]$/, '');
    const message = `the cluster did not start: ${(error as Error).message}\n${said}`;
    throw new CommandError(message, 'EMBEDDED_CLUSTER_FAILED', { cause: error });
  } finally {
    if (child.connected) child.disconnect();
    child.unref();
    await log.close();
  }
}

/** The command line that starts the same cluster in the foreground. */
function argumentsOf(options: UpOptions): string[] {
  return [
    ...['--name', options.name, '--port', String(options.port)],
    ...(options.nodes === undefined ? [] : ['--nodes', String(options.nodes)]),
    ...(options.isolation === undefined ? [] : ['--isolation', options.isolation]),
    ...(options.data === undefined ? [] : ['--data', resolve(options.data)]),
    ...(options.kubeconfig === undefined ? [] : ['--kubeconfig', resolve(options.kubeconfig)]),
    ...[...(options.image ?? [])].flatMap(([name, { entrypoint }]) => [
      '--image',
      `${name}=${entrypoint.join(' ')}`,
    ]),
    ...(options.config === undefined ? [] : configArguments(options.config)),
    ...runtimeArguments(options),
    ...(options.faultsFrom ?? []).flatMap((named) => ['--faults-from', named]),
    ...(options.operator === false ? ['--no-operator'] : []),
    ...(options.workflows === false ? ['--no-workflows'] : []),
    ...(options.verbose === true ? ['--verbose'] : []),
  ];
}

function configArguments(config: string | false): string[] {
  return config === false ? ['--no-config'] : ['--config', resolve(config)];
}
