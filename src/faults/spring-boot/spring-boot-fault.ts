import type { InjectionEffect, InjectionTarget } from '../../api/index.ts';
import {
  describeError,
  InjectError,
  RevertError,
  StatusCheckError,
} from '../../experiment/injection/errors.ts';
import type {
  Fault,
  FaultContext,
  Injection,
  Observed,
  ObservedTarget,
} from '../../experiment/injection/fault.ts';
import { nameOf } from '../../experiment/injection/ledger/ledger-steps.ts';
import type { TunableSchema, Tunables } from '../../experiment/injection/tunables.ts';
import { NoAnswerError } from '../remote/ask.ts';
import {
  type AssaultSettings,
  assaultsBody,
  attacksAtOnce,
  hitsCalls,
  isKill,
  type Members,
  restoringBody,
  watchersBody,
} from './assaults.ts';
import { configure, type MonkeyConfiguration, NoMonkeyError, readConfiguration } from './chaos-monkey.ts';
import { assaultEffect, killEffect } from './effect.ts';
import { keepAssaults } from './keep-assaults.ts';
import { type MonkeyParameters, parametersOf } from './monkey-parameters.ts';
import { endpointOf, findMonkeyPod, type MonkeyPod } from './monkey-pod.ts';
import { MONKEY_TUNABLES } from './tunables.ts';

/** The parts of one of these faults that differ. */
interface SpringBootFaultDefinition<S extends TunableSchema>
  extends Pick<Fault<S>, 'name' | 'summary' | 'validate' | 'idleReason'> {
  /** Settings of its own. */
  readonly tunables: S;
  /** Which assaults. Pure. */
  assault(tunables: Tunables<S>): Omit<AssaultSettings, 'level' | 'services' | 'durationSeconds'>;
}

type All<S> = S & typeof MONKEY_TUNABLES;

/**
 * A fault of a Spring Boot application by its own Chaos Monkey, through the actuator of each pod.
 *
 * What is touched: the settings of the Chaos Monkey, which live in the application's memory. How it is undone: each setting that
 * was changed gets its value of before, in each pod for itself. What remains if the experiment dies: the assault, until recovery
 * or until the application restarts.
 */
export function springBootFault<S extends TunableSchema>(
  definition: SpringBootFaultDefinition<S>,
): Fault<All<S>> {
  const { name, summary, validate } = definition;
  return {
    name,
    summary,
    tunables: { ...MONKEY_TUNABLES, ...definition.tunables },
    validate,
    targets: 'pods',
    shape: 'sustained',
    where: 'api',
    permissions: [
      { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] },
      { apiGroups: ['apps'], resources: ['replicasets'], verbs: ['list'] },
    ],
    observe,
    plan: ({ tunables, targets }) => {
      // Both tables are in the fault's own; TypeScript does not look into a type parameter.
      const common = tunables as unknown as Tunables<typeof MONKEY_TUNABLES>;
      const assaults = assaultsBody({
        ...definition.assault(tunables as unknown as Tunables<S>),
        level: common.CM_LEVEL,
        services: common.CM_WATCHED_CUSTOM_SERVICES,
        durationSeconds: common.TOTAL_CHAOS_DURATION,
      });
      const watchers = watchersBody(common.CM_WATCHERS);
      return targets.map((target) => injectionOf(target, common, assaults, watchers));
    },
    inject,
    // The fault's own settings are among them; TypeScript does not look into a type parameter.
    idleReason: (tunables) => definition.idleReason?.(tunables as unknown as Tunables<S>),
    hold: keepAssaults(assail),
    effect,
    revert,
  };
}

async function observe(target: InjectionTarget, context: FaultContext): Promise<Observed> {
  // Every process that plans has settings.
  const { CM_PORT, CM_PATH } = context.tunables as unknown as Tunables<typeof MONKEY_TUNABLES>;
  const pod = await findMonkeyPod(target, CM_PORT, context);
  if (pod?.containerId === undefined || pod.address === undefined) return { pod };
  try {
    const before = await readConfiguration(endpointOf(pod.address, CM_PORT, CM_PATH), context.signal);
    return { pod, before };
  } catch (error) {
    if (!(error instanceof NoMonkeyError)) throw error;
    return { pod, problem: error.message };
  }
}

function injectionOf(
  { observed = {}, ...target }: ObservedTarget,
  { CM_PORT, CM_PATH }: Pick<Tunables<typeof MONKEY_TUNABLES>, 'CM_PORT' | 'CM_PATH'>,
  assaults: Members,
  watchers: Members | undefined,
): Injection {
  const what = `cannot assail ${nameOf(target)}`;
  // These are what `observe` of this file gives.
  const { pod, before, problem } = observed as {
    pod?: MonkeyPod;
    before?: MonkeyConfiguration;
    problem?: string;
  };
  if (pod === undefined)
    throw new InjectError(`${what}: it is gone, or was replaced by another one of its name`);
  if (typeof problem === 'string') {
    throw new StatusCheckError(
      `${what}: no Chaos Monkey answers there (${problem}); the application needs chaos-monkey-spring-boot with its ` +
        'endpoint exposed, and CM_PORT and CM_PATH have to name it',
      { target: `{podName: ${target.name}, namespace: ${target.namespace}}` },
    );
  }
  if (before === undefined || pod.containerId === undefined) {
    throw new InjectError(`${what}: container ${pod.container} is not running; repair the application first`);
  }
  if (isKill(assaults) && pod.restartPolicy === 'Never') {
    throw new InjectError(`${what}: its restartPolicy is Never, so nothing would restart it`);
  }
  if (hitsCalls(assaults) && !isWatched(watchers ?? before.watchers, assaults)) {
    throw new InjectError(
      `${what}: its Chaos Monkey watches no component, so that no call would be hit; set CM_WATCHERS`,
    );
  }
  const parameters: MonkeyParameters = {
    port: CM_PORT,
    path: CM_PATH,
    containerId: pod.containerId,
    assaults,
    watchers,
    before: kept(before, assaults, watchers),
  };
  return { id: `${target.namespace}.${target.name}`, target, parameters };
}

/** When an application does not say what it watches, this takes it for enough. */
function isWatched(watchers: Members | undefined, { watchedCustomServices }: Members): boolean {
  if (watchers === undefined || (Array.isArray(watchedCustomServices) && watchedCustomServices.length > 0)) {
    return true;
  }
  return Object.values(watchers).some(
    (value) => value === true || (Array.isArray(value) && value.length > 0),
  );
}

/** The previous values of the settings that are changed. */
function kept(
  { enabled, ...before }: MonkeyConfiguration,
  assaults: Members,
  watchers: Members | undefined,
): MonkeyConfiguration {
  const pick = (members: Members | undefined, keys: Members | undefined): Members =>
    Object.fromEntries(Object.entries(members ?? {}).filter(([key]) => keys !== undefined && key in keys));
  return { enabled, assaults: pick(before.assaults, assaults), watchers: pick(before.watchers, watchers) };
}

/** Incarnations that were attacked: what attacks at once must not do it twice. */
const attacked = new Set<string>();

async function inject(injection: Injection, context: FaultContext): Promise<void> {
  const pod = await findMonkeyPod(injection.target, parametersOf(injection).port, context);
  if (pod === undefined || pod.over) throw new InjectError(`${nameOf(injection.target)} is gone meanwhile`);
  await assail(injection, pod, context);
}

/** Configures the Chaos Monkey of a pod. */
async function assail(injection: Injection, pod: MonkeyPod, { signal }: FaultContext): Promise<void> {
  const { port, path, assaults, watchers } = parametersOf(injection);
  if (pod.address === undefined) throw new InjectError(`${nameOf(injection.target)} has no address`);
  const base = endpointOf(pod.address, port, path);
  const incarnation = `${injection.id} ${pod.containerId}`;
  try {
    if (watchers !== undefined) await configure(base, '/watchers', watchers, signal);
    await configure(base, '/assaults', assaults, signal);
    // Before the attack: a Chaos Monkey that is switched off ignores it.
    await configure(base, '/enable', undefined, signal);
    if (!attacksAtOnce(assaults) || attacked.has(incarnation)) return;
    attacked.add(incarnation);
    await configure(base, '/assaults/runtime/attack', undefined, signal);
  } catch (error) {
    // An application that is killed may not live to answer.
    if (error instanceof NoAnswerError && isKill(assaults) && attacked.has(incarnation)) return;
    if (!(error instanceof NoAnswerError)) throw error;
    throw new InjectError(`cannot assail ${nameOf(injection.target)}: its Chaos Monkey does not answer`, {
      cause: error,
    });
  }
}

/** Calls that were hit are counted nowhere that is sure to be reachable; that an assault is switched off, or nothing was killed, is seen. */
async function effect(injection: Injection, context: FaultContext): Promise<InjectionEffect | undefined> {
  const { port, path, assaults, containerId } = parametersOf(injection);
  const pod = await findMonkeyPod(injection.target, port, context);
  if (pod === undefined || pod.over) return undefined;
  if (isKill(assaults)) return killEffect(containerId, pod.containerId);
  if (pod.containerId === undefined || pod.address === undefined) return undefined;
  return assaultEffect(
    assaults,
    await readConfiguration(endpointOf(pod.address, port, path), context.signal),
  );
}

async function revert(injection: Injection, context: FaultContext): Promise<void> {
  const { port, path, assaults, watchers, before, containerId } = parametersOf(injection);
  const pod = await findMonkeyPod(injection.target, port, context);
  // The settings were in the memory of a process that is no more.
  if (pod === undefined || pod.over || pod.containerId === undefined || pod.address === undefined) return;
  if (isKill(assaults) && pod.containerId !== containerId) return;
  const base = endpointOf(pod.address, port, path);
  const { signal } = context;
  try {
    if (before.enabled !== true) await configure(base, '/disable', undefined, signal);
    await configure(base, '/assaults', restoringBody(assaults, before.assaults), signal);
    if (watchers !== undefined) {
      await configure(base, '/watchers', restoringBody(watchers, before.watchers), signal);
    }
  } catch (cause) {
    signal.throwIfAborted();
    const now = await findMonkeyPod(injection.target, port, context);
    if (now?.containerId !== pod.containerId) return;
    throw new RevertError(
      `cannot end the assault on ${nameOf(injection.target)}: ${describeError(cause)}; restarting the pod ends it`,
    );
  }
}
