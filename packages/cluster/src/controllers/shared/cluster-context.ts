import type { KubeClient } from '@turnsole/kube/client/types';
import { type ControllerContext, createContext } from '@turnsole/kube/controllers/context';
import { InformerFactory } from '@turnsole/kube/controllers/informers';
import {
  type Clock,
  type Logger,
  type Random,
  silentLogger,
  systemClock,
} from '@turnsole/kube/runtime/index';
import { CLUSTER_INDEXES } from './pod-indexes.ts';

/** What controllers and scheduler of the embedded cluster get: what every controller gets, and their options. */
export interface ClusterContext extends ControllerContext {
  readonly options: CompiledControllerOptions;
}

/** What controllers and scheduler need; they reach the cluster through the client and nothing else. */
export interface ClusterParts {
  readonly client: KubeClient;
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** @default Math.random */
  readonly random?: Random;
  readonly logger?: Logger;
  readonly options?: ControllerOptions;
  /** Informers shared with others of the process; their maker stops them. @default own ones */
  readonly informers?: InformerFactory;
}

/** Makes the context; it joins the informers of the process or makes its own. */
export function createClusterContext(parts: ClusterParts): ClusterContext {
  const { client, clock = systemClock, random = Math.random, logger = silentLogger } = parts;
  const informers =
    parts.informers ?? new InformerFactory({ client, clock, random, logger, indexes: CLUSTER_INDEXES });
  const options = compileControllerOptions(parts.options ?? {});
  return { ...createContext({ client, clock, random, logger, informers }), options };
}

/** What may be set about the controllers. Durations of Kubernetes are the defaults where people rely on them. */
interface ControllerOptions {
  /** A node without a lease renewal for this long is taken for lost. @default 40_000 */
  readonly nodeGraceMs?: number;
  /** Wait before a job replaces a failed pod, doubling with each failure. @default 10_000 */
  readonly jobBackoffMs?: number;
  /** Longest such wait. @default 600_000 */
  readonly jobMaxBackoffMs?: number;
  /** Finished pods that are kept; more are removed, oldest first. @default 12_500 */
  readonly finishedPodLimit?: number;
  /** Time from one decision of a horizontal pod autoscaler to the next. @default 5_000 */
  readonly autoscalerPeriodMs?: number;
  /** Certificate authority of the API server (PEM) for the config map kube-root-ca.crt. @default none, no config map */
  readonly certificateAuthority?: string;
}

/** The options with all defaults filled in; only the certificate authority may be absent. */
type CompiledControllerOptions = Required<Omit<ControllerOptions, 'certificateAuthority'>> & {
  readonly certificateAuthority: string | undefined;
};

const DEFAULTS = {
  nodeGraceMs: 40_000,
  jobBackoffMs: 10_000,
  jobMaxBackoffMs: 600_000,
  finishedPodLimit: 12_500,
  autoscalerPeriodMs: 5_000,
} as const;

/** All options with their defaults. Throws RangeError for a number below 0, naming the option. */
function compileControllerOptions(options: ControllerOptions): CompiledControllerOptions {
  const compiled = { ...DEFAULTS, certificateAuthority: undefined, ...options };
  for (const name of Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[]) {
    const value = compiled[name];
    if (!(value >= 0)) {
      throw new RangeError(`controller option ${name} must be a number that is not negative, found ${value}`);
    }
  }
  return compiled;
}
