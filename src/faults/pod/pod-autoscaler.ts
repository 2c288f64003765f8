import { isNotFound, unless } from '@turnsole/kube/client/errors';
import type { Resource } from '@turnsole/kube/kinds/resources';
import { retryOnConflict } from '@turnsole/kube/runtime/retry-on-conflict';
import { isTooLate, waitForObject } from '@turnsole/kube/runtime/wait';
import type { InjectionEffect, InjectionTarget } from '../../api/index.ts';
import { InjectError, StatusCheckError } from '../../experiment/injection/errors.ts';
import {
  type Fault,
  type FaultContext,
  type Injection,
  type PlanInput,
  parametersOf,
} from '../../experiment/injection/fault.ts';
import { nameOf, objectOf } from '../../experiment/injection/ledger/ledger-steps.ts';
import { chaosDuration } from '../../experiment/injection/settings/common-tunables.ts';
import { integer } from '../../experiment/injection/settings/declare.ts';
import type { TunableSchema } from '../../experiment/injection/tunables.ts';
import { SCALABLE_WORKLOADS, type ScalableWorkload } from '../../experiment/targets/resolve-workloads.ts';
import { hasReplicas, type ScalePatch, scale, unscale, wantedReplicas } from './scale-workload.ts';

const tunables = {
  TOTAL_CHAOS_DURATION: chaosDuration(
    60,
    'How long the workloads are scaled. As many pods as were asked for have to be ready in this time.',
  ),
  REPLICA_COUNT: integer(
    { default: undefined, required: true, minimum: 0, maximum: 10_000 },
    'How many replicas the workloads get; 0 scales them to nothing.',
  ),
  APP_AFFECT_PERC: integer(
    { default: 100, minimum: 0, maximum: 1000, unit: 'percent' },
    'Share of the matching workloads that is scaled, at least one.',
  ),
} as const satisfies TunableSchema;

/** What inject and revert need; made by `plan`. */
interface Parameters {
  readonly replicas: number;
  /** The replicas that the workload wanted when this was planned. */
  readonly original: number;
}

/**
 * Scales deployments and stateful sets, to see whether the cluster has room for them, or the application lives with less.
 *
 * What is touched: `spec.replicas`, and an annotation that keeps the original number. How it is undone: the original number is set
 * again. What remains if the experiment dies: the replicas, until recovery. A HorizontalPodAutoscaler on the same workload
 * scales it back: that ends the run with an error, whenever it does, and `turnsole plan` warns of it before.
 */
export const podAutoscaler: Fault<typeof tunables> = {
  name: 'pod-autoscaler',
  summary: 'Scales deployments and stateful sets, and back.',
  tunables,
  targets: 'workloads',
  shape: 'sustained',
  where: 'api',
  injectMessage: 'Injecting pod-autoscaler chaos on target application',
  permissions: [
    { apiGroups: ['apps'], resources: ['deployments', 'statefulsets'], verbs: ['get', 'list', 'patch'] },
    // The health of the application is read from its pods, which are found by their owners.
    { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
    { apiGroups: ['apps'], resources: ['replicasets'], verbs: ['list'] },
  ],
  observe: async (target, context) => ({ replicas: wantedReplicas(await read(target, context)) }),
  plan,
  inject,
  revert,
  hold,
  effect: (injection) => Promise.resolve(scaleEffect(parametersOf<Parameters>(injection))),
  settle,
};

export default podAutoscaler;

function plan({
  tunables: { REPLICA_COUNT: replicas = 0 },
  targets,
}: PlanInput<typeof tunables>): readonly Injection[] {
  return targets.map(({ observed, ...target }) => {
    const original = Number(observed?.replicas);
    const parameters: Parameters = { replicas, original };
    return {
      ...(original === replicas
        ? { idle: `it has ${replicas} replicas already; set REPLICA_COUNT to another number` }
        : {}),
      id: `${target.namespace}.${target.kind}.${target.name}`,
      target,
      parameters: { ...parameters },
    };
  });
}

/** After the hold, in which all replicas were there. Pure. */
function scaleEffect({ original, replicas }: Parameters): InjectionEffect {
  return { seen: true, message: `scaled from ${original} to ${replicas} replicas` };
}

async function inject(injection: Injection, context: FaultContext): Promise<void> {
  const { target } = injection;
  const { replicas } = parametersOf<Parameters>(injection);
  await change(injection, context, (workload) => {
    if (target.uid !== undefined && workload.metadata.uid !== target.uid)
      throw new InjectError(
        `cannot scale ${nameOf(target)}: it was deleted and made anew meanwhile; run the experiment again`,
      );
    return scale(workload, injection.id, replicas);
  });
}

async function revert(injection: Injection, context: FaultContext): Promise<void> {
  // Gone, and its replicas with it.
  await unless(
    isNotFound,
    change(injection, context, (workload) => unscale(workload, injection.id)),
  );
}

async function hold(
  injections: readonly Injection[],
  context: FaultContext,
  durationMs: number,
): Promise<void> {
  const { clock } = context;
  const endsAt = clock.monotonic() + durationMs;
  await Promise.all(
    injections.map(async (injection) => {
      const { target } = injection;
      const { replicas } = parametersOf<Parameters>(injection);
      const seen = await awaitReplicas(
        target,
        (workload) => wantedReplicas(workload) !== replicas || hasReplicas(workload, replicas),
        context,
        durationMs,
      );
      const problem = problemOf(seen, replicas, durationMs);
      if (problem !== undefined)
        throw new InjectError(`cannot scale ${nameOf(target)} to ${replicas} replicas: ${problem}`);
      context.note('Scaled', objectOf(target), `${replicas} replicas are ready`);
      await stayScaled(target, replicas, context, endsAt - clock.monotonic());
    }),
  );
}

/** Waits for the end of chaos. A fault that another client undoes meanwhile was not in force, so its run must not pass. */
async function stayScaled(
  target: InjectionTarget,
  replicas: number,
  context: FaultContext,
  leftMs: number,
): Promise<void> {
  if (leftMs <= 0) return;
  const isUndone = (workload: ScalableWorkload): boolean => wantedReplicas(workload) !== replicas;
  const seen = await awaitReplicas(target, isUndone, context, leftMs);
  if (seen !== undefined && !isUndone(seen)) return;
  const why = seen === undefined ? 'it was deleted meanwhile' : overruled(wantedReplicas(seen));
  throw new InjectError(`cannot keep ${nameOf(target)} at ${replicas} replicas: ${why}`);
}

function overruled(wanted: number): string {
  return (
    `another client has scaled it to ${wanted}; is there a HorizontalPodAutoscaler for it? ` +
    'Delete it for the time of the chaos, or let REPLICA_COUNT be 0, which suspends it'
  );
}

function problemOf(
  workload: ScalableWorkload | undefined,
  replicas: number,
  durationMs: number,
): string | undefined {
  if (workload === undefined) return 'it was deleted meanwhile';
  const wanted = wantedReplicas(workload);
  if (wanted !== replicas) return overruled(wanted);
  if (hasReplicas(workload, replicas)) return undefined;
  const ready = workload.status?.readyReplicas ?? 0;
  return `${ready} are ready after ${durationMs / 1000} s; look at its pods, or raise TOTAL_CHAOS_DURATION`;
}

/** After the revert: as many pods as before are ready again. */
async function settle(injections: readonly Injection[], context: FaultContext): Promise<void> {
  await Promise.all(
    injections.map(async ({ target, ...rest }) => {
      const { original } = parametersOf<Parameters>({ target, ...rest });
      const timeoutMs = context.recoveryTimeoutMs;
      // A user who scales it now does so on his own account.
      const isThere = (one: ScalableWorkload): boolean =>
        hasReplicas(one, original) || wantedReplicas(one) !== original;
      const seen = await awaitReplicas(target, isThere, context, timeoutMs);
      if (seen === undefined || isThere(seen)) return;
      throw new StatusCheckError(
        `${nameOf(target)} has not recovered after ${timeoutMs / 1000} s: ${seen.status?.readyReplicas ?? 0} of ${original} ` +
          'replicas are ready; look at its pods, or raise STATUS_CHECK_TIMEOUT',
      );
    }),
  );
}

/** Gives the workload when it is as wanted, when it is gone, or as it is when the time is over. */
async function awaitReplicas(
  target: InjectionTarget,
  isWanted: (workload: ScalableWorkload) => boolean,
  { client, clock, signal }: FaultContext,
  timeoutMs: number,
): Promise<ScalableWorkload | undefined> {
  const { namespace } = target;
  let seen: ScalableWorkload | undefined;
  const look = (workload: ScalableWorkload | undefined): boolean => {
    seen = workload;
    return workload === undefined || isWanted(workload);
  };
  const options = { namespace, clock, signal, timeoutMs };
  await unless(
    isTooLate,
    waitForObject<ScalableWorkload>(client, resourceOf(target), target.name, look, options),
  );
  return seen;
}

/** Reads, decides, writes; again when another client wrote meanwhile. */
async function change(
  { target }: Injection,
  context: FaultContext,
  decide: (workload: ScalableWorkload) => ScalePatch | undefined,
): Promise<void> {
  const { client, signal, clock, random } = context;
  await retryOnConflict(
    async () => {
      const patch = decide(await read(target, context));
      if (patch === undefined) return;
      const options = { namespace: target.namespace ?? '', signal, repeatable: true };
      await client.patch(resourceOf(target), target.name, 'merge', patch, options);
    },
    { signal, clock, random },
  );
}

function read(
  target: InjectionTarget,
  { client, signal }: Pick<FaultContext, 'client' | 'signal'>,
): Promise<ScalableWorkload> {
  const { namespace = '' } = target;
  return client.get<ScalableWorkload>(resourceOf(target), target.name, { namespace, signal });
}

function resourceOf({ kind }: InjectionTarget): Resource {
  const resource = SCALABLE_WORKLOADS.get(kind);
  if (resource === undefined) throw new InjectError(`cannot scale a ${kind}`);
  return resource;
}
