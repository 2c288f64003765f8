import { type Clock, systemClock } from '@turnsole/kube/base/clock';
import { createLogger, type Logger, type WritingLevel } from '@turnsole/kube/base/log';
import { type ClientOptions, createClient } from '@turnsole/kube/client/client';
import { loadInClusterConfig } from '@turnsole/kube/client/config/in-cluster';
import { loadConfig } from '@turnsole/kube/client/config/load-config';
import type { ClusterConfig, KubeClient } from '@turnsole/kube/client/types';
import type { Basics } from '@turnsole/kube/runtime/basics';
import type { Environment } from '@turnsole/kube/text/environment';
import { POD_EXIT } from './exit-codes.ts';
import { type FlagTable, type FlagValues, readFlags } from './flags.ts';
import { type TerminationOptions, termination } from './signals.ts';
import { UsageError } from './usage-error.ts';

/** What the process gives a component; tests give their own. */
export interface ComponentIo {
  /** @default that of the flag `-kubeconfig` where the component has one, else that of the pod */
  readonly config?: ClusterConfig;
  /** @default one for `config`, closed at the end */
  readonly client?: KubeClient;
  readonly clock?: Clock;
  /** @default JSON lines on standard output */
  readonly logger?: Logger;
  /** @default aborted on SIGTERM and SIGINT */
  readonly signal?: AbortSignal;
}

/** What a component works with. */
export interface ComponentContext<Settings> extends Basics {
  readonly settings: Settings;
  readonly env: Environment;
  /** Namespace of the pod or kubeconfig; empty where the caller has brought a client without a `config`. */
  readonly namespace: string;
  /** Aborted when the component has to end. */
  readonly signal: AbortSignal;
}

/** Where a component failed. */
export type ComponentFailure = Pick<ComponentContext<unknown>, 'env' | 'clock' | 'logger' | 'signal'>;

/** The parts of a pod's program that are its own. Everything else is the frame's. */
export interface Component<Flags extends FlagTable, Settings> {
  /** Its subcommand. */
  readonly name: string;
  /** Absent: it ignores its command line. A flag `kubeconfig` names the cluster to work in. */
  readonly flags?: Flags;
  /** Flags that are accepted because upstream's manifests have them, and why they change nothing here; logged where they are given. */
  readonly flagsWithoutEffect?: Partial<Record<keyof Flags, string>>;
  /**
   * Reads flags and environment before anything is connected. What it loads by a promise is loaded beside the cluster's
   * configuration. @throws UsageError
   */
  readonly settings: (flags: FlagValues<Flags>, env: Environment) => Settings | Promise<Settings>;
  /** Options of its client. */
  readonly clientOptions?: (settings: Settings) => ClientOptions;
  /** Gives a function that is called for each line logged from then on; not for a logger that the caller has brought. */
  readonly onLine?: (settings: Settings) => (level: WritingLevel) => void;
  /** Works until it is done or stopped. @returns exit code. @default 0 */
  readonly serve: (context: ComponentContext<Settings>) => Promise<number> | Promise<void>;
  /** Logs an error and gives the exit code; undefined leaves it to the frame. */
  readonly failed?: (
    error: unknown,
    where: ComponentFailure,
  ) => Promise<number | undefined> | number | undefined;
  /** @default the first signal aborts, the second one ends the process */
  readonly termination?: TerminationOptions;
}

/**
 * The life of a program in a pod: flags and settings, signals, cluster, then its work; an error is logged once and becomes the exit
 * code. Loads neither metrics nor an HTTP server: those are for `serve`.
 *
 * @returns the exit code of `serve`; {@link POD_EXIT}: `done` when it was stopped, `cannotStart` for a UsageError, else `failed`
 */
export async function runComponent<const Flags extends FlagTable, Settings>(
  component: Component<Flags, Settings>,
  argv: readonly string[],
  env: Environment,
  io: ComponentIo = {},
): Promise<number> {
  const { clock = systemClock } = io;
  let onLine: (level: WritingLevel) => void = () => {};
  const logger = io.logger ?? createLogger({ component: component.name, onLine: (level) => onLine(level) });
  // Never given back: a signal that comes when the work is done, and the process ends, must not change its exit code.
  const signal = io.signal ?? termination(component.termination).signal;
  const where = { env, clock, logger, signal };
  let client: KubeClient | undefined;
  try {
    const table: FlagTable = component.flags ?? {};
    const flags = readFlags(component.name, component.flags === undefined ? [] : argv, table);
    for (const [name, why] of Object.entries<string | undefined>(component.flagsWithoutEffect ?? {}))
      if (flags[name] !== table[name]?.absent)
        logger.info({ name: `-${name}`, why }, 'a setting has no effect');
    const configuring = io.client === undefined ? (io.config ?? configOf(flags, where)) : io.config;
    // Both are loaded at once. Where neither can be used, the settings are what is named, whichever failed first.
    void Promise.resolve(configuring).catch(() => {});
    // The types of an absent table's values are those of no flags.
    const settings = await component.settings(flags as FlagValues<Flags>, env);
    const config = await configuring;
    onLine = component.onLine?.(settings) ?? onLine;
    client = io.client ?? (config && createClient(config, component.clientOptions?.(settings)));
    if (client === undefined)
      throw new TypeError(`${component.name} has neither a client nor a configuration`);
    const context = { ...where, settings, client, namespace: config?.namespace ?? '' };
    return (await component.serve(context)) ?? POD_EXIT.done;
  } catch (error) {
    return (await component.failed?.(error, where)) ?? exitAfter(error, component.name, where);
  } finally {
    if (io.client === undefined) client?.close();
  }
}

/** A program that takes -kubeconfig may run outside of clusters as well. */
function configOf(
  flags: Readonly<Record<string, unknown>>,
  { env, clock }: ComponentFailure,
): Promise<ClusterConfig> {
  if (!Object.hasOwn(flags, 'kubeconfig')) return loadInClusterConfig(env, clock);
  const { kubeconfig } = flags;
  return loadConfig({ kubeconfig: typeof kubeconfig === 'string' ? kubeconfig : undefined, env });
}

function exitAfter(error: unknown, name: string, { logger, signal }: ComponentFailure): number {
  if (error instanceof UsageError) {
    logger.error({ code: error.code, detail: error.message }, `${name} cannot start`);
    return POD_EXIT.cannotStart;
  }
  if (signal.aborted) return POD_EXIT.done;
  logger.error({ err: error }, `${name} failed`);
  return POD_EXIT.failed;
}
