import {
  InjectError,
  RevertError,
  StatusCheckError,
  TargetSelectionError,
} from '../../experiment/injection/errors.ts';
import {
  type ApiHold,
  type FaultContext,
  type FaultCredentials,
  type Injection,
  type Observed,
  parametersOf,
  type ResourceContext,
} from '../../experiment/injection/fault.ts';
import { objectOf } from '../../experiment/injection/ledger/ledger-steps.ts';
import type { TunableProblem } from '../../experiment/injection/settings/parse-tunables.ts';
import type { TunableSchema, Tunables } from '../../experiment/injection/tunables.ts';
import { isCloudError } from './cloud-error.ts';
import { refuseUnmeant, type Selection } from './guard.ts';
import { holdInRounds } from './hold-in-rounds.ts';
import { lastPart } from './last-part.ts';
import type { ResourceTunables } from './tunables.ts';

/** How a resource is. */
export interface Look {
  /**
   * - `there`: as it was before the fault.
   * - `taken`: wholly taken away.
   * - `part`: in part; it may be taken, and given back.
   * - `going`, `coming`: on the way, so that nothing is to be asked for now.
   * - `gone`: for good, or by another client, so that it cannot be given back.
   */
  readonly state: 'there' | 'taken' | 'part' | 'going' | 'coming' | 'gone';
  /** In words, after its name: `is stopping`. */
  readonly words: string;
  /** Why it will not be taken away, whatever is waited for. */
  readonly failed?: string;
}

/** What calls of an API may take. */
export interface CallContext extends ResourceContext {
  /** How long a call is tried again that was throttled. */
  readonly patienceMs: number;
  /** How long one is tried again that had no answer. */
  readonly awayMs: number;
}

/** An API of a cloud. */
interface CloudApi {
  /** Where it acts, by which the names of its resources begin: account and region, project, or server. */
  place(context: CallContext): Promise<string>;
}

/** A fault that takes resources of a cloud away, and gives them back. Its parameters are JSON, and have what giving back needs. */
interface ResourceFault<S extends TunableSchema, Api extends CloudApi, P extends object> {
  readonly name: string;
  readonly summary: string;
  /** Kind of its targets in the history, as upstream has it: `EC2`. */
  readonly kind: string;
  readonly tunables: S & ResourceTunables;
  readonly calls: readonly string[];
  readonly credentials: FaultCredentials;
  /** What is done to a resource, and what it is afterwards: `stop`, `stopped`. */
  readonly words: readonly [verb: string, participle: string];
  /** Whether it is held without a break, whatever CHAOS_INTERVAL is. @default false */
  readonly isContinuous?: boolean;
  /** How long it may take to come back. @default 600 */
  readonly backSeconds?: number;
  validate?(tunables: Tunables<S & ResourceTunables>): readonly TunableProblem[];
  /** Opens the API; called once for all calls of a run. */
  open(tunables: Tunables<S & ResourceTunables>): Promise<Api>;
  /** What the settings mean, by names that begin with the account and its part. */
  select(api: Api, tunables: Tunables<S & ResourceTunables>, context: CallContext): Promise<Selection>;
  /**
   * The parameters of an injection into a resource.
   *
   * @param name as `select` gives it
   * @throws TargetSelectionError when it cannot be taken away, or not be given back
   */
  observe(api: Api, name: string, tunables: Tunables<S & ResourceTunables>, context: CallContext): Promise<P>;
  look(api: Api, parameters: P, context: CallContext): Promise<Look>;
  /** Asks for it to be taken away; does not wait. Called when it is there, or there in part. */
  take(api: Api, parameters: P, context: CallContext): Promise<void>;
  /** Asks for it to be given back; does not wait. Called when it is taken away, wholly or in part. */
  give(api: Api, parameters: P, context: CallContext): Promise<void>;
  /** Pure: whether something else takes its place, or brings it back: it counts as taken when it is gone for good, and is left to that at the end. */
  isReplaced?(parameters: P): boolean;
  /** After the end: what is not as it was before; undefined when all is. */
  lacks?(api: Api, parameters: P, context: CallContext): Promise<string | undefined>;
}

const CALL_PATIENCE_MS = 120_000;
/** Nothing is hit yet, and a plan does not wait for an API that is away. */
const FIND_PATIENCE_MS = 10_000;
/** An API that is away while something is to be given back is waited for longer. */
const GIVE_PATIENCE_MS = 300_000;
/** Answers may be older than a call that was accepted by so much: it is not repeated sooner, and what they say is not believed sooner. */
const STALE_MS = 15_000;
const SECOND_LOOK_MS = 2_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;
const BACK_SECONDS = 600;
/** What replaces a resource has so long to begin, before the resource is given back after all. */
const REPLACING_MS = 300_000;
/** What a recovery may take beyond the time until a resource is back: its pod has to start. */
const RECOVERY_MARGIN_SECONDS = 60;

/** Makes a fault that the experiment holds and reverts like any other. */
export function resourceFault<S extends TunableSchema, Api extends CloudApi, P extends object>(
  definition: ResourceFault<S, Api, P>,
): ApiHold<S & ResourceTunables> {
  type Settings = Tunables<S & ResourceTunables>;
  const { name, kind, words, backSeconds = BACK_SECONDS } = definition;
  const [verb, participle] = words;
  const opened = new WeakMap<object, Promise<Api>>();
  /** How often each injection has come into force in this process. */
  const times = new Map<string, number>();
  /** When each injection was last asked for in this process: `-Infinity` while that did not happen, absent where another process may have. */
  const asked = new Map<string, number>();
  /** Injections that were held to the end. */
  const held = new Set<string>();

  const isReplaced = (injection: Injection): boolean =>
    definition.isReplaced?.(parametersOf<P>(injection)) === true;
  const settingsOf = (context: FaultContext): Settings =>
    // Every process of this fault has its settings: it has no helpers.
    context.tunables as unknown as Settings;
  const apiOf = (settings: Settings): Promise<Api> => {
    const known = opened.get(settings);
    if (known !== undefined) return known;
    const opening = definition.open(settings);
    opened.set(settings, opening);
    // One that could not be opened is opened anew by the next who needs it.
    opening.catch(() => opened.delete(settings));
    return opening;
  };
  const call = (
    context: ResourceContext,
    patienceMs = CALL_PATIENCE_MS,
    awayMs = patienceMs,
  ): CallContext => ({
    clock: context.clock,
    random: context.random,
    signal: context.signal,
    patienceMs,
    awayMs,
  });

  /**
   * The API for a resource that was found by these settings, or by former ones: a resource of another place may have the same name, and one
   * that is not found here is not gone.
   *
   * @throws Error when the settings mean another place than the resource's
   */
  async function apiFor({ target }: Injection, settings: Settings, context: CallContext): Promise<Api> {
    const api = await apiOf(settings);
    const place = await api.place(context);
    if (target.name.startsWith(`${place}/`)) return api;
    throw new Error(
      `${objectOf(target)} is in ${target.name.slice(0, target.name.lastIndexOf('/'))}, and the settings are for ${place}: ` +
        'set back region, account, project or server to what they were, and run again',
    );
  }

  async function take(injection: Injection, context: FaultContext): Promise<void> {
    const parameters = parametersOf<P>(injection);
    const object = objectOf(injection.target);
    const api = await apiFor(injection, settingsOf(context), call(context));
    const limitMs = context.recoveryTimeoutMs;
    const waiting = new Waiting(context, limitMs);
    const ask = async (): Promise<void> => {
      try {
        await definition.take(api, parameters, call(context));
      } finally {
        // Also without an answer it may come into effect.
        asked.set(injection.id, context.clock.monotonic());
      }
    };
    if (!asked.has(injection.id)) asked.set(injection.id, Number.NEGATIVE_INFINITY);
    for (;;) {
      const look = await definition.look(api, parameters, call(context));
      if (look.failed !== undefined) throw new InjectError(`cannot ${verb} ${object}: ${look.failed}`);
      const isGone = look.state === 'gone';
      if (look.state === 'taken' || (isGone && isReplaced(injection))) break;
      if (isGone) throw new InjectError(`cannot ${verb} ${object}: it ${look.words}`);
      if (look.state === 'there' || look.state === 'part') {
        await waiting.ask(ask);
      }
      if (!(await waiting.pause())) {
        throw new InjectError(
          `cannot ${verb} ${object}: it ${look.words} after ${limitMs / 1000} s${waiting.refusal}; raise STATUS_CHECK_TIMEOUT if it takes longer`,
        );
      }
    }
    times.set(injection.id, (times.get(injection.id) ?? 0) + 1);
  }

  async function give(injection: Injection, context: FaultContext): Promise<void> {
    const parameters = parametersOf<P>(injection);
    const object = objectOf(injection.target);
    const api = await apiFor(injection, settingsOf(context), call(context, GIVE_PATIENCE_MS));
    const limitMs = Math.max(backSeconds * 1000, context.recoveryTimeoutMs);
    const waiting = new Waiting(context, limitMs);
    const { clock } = context;
    const startedAt = clock.monotonic();
    // What another process asked for may have been accepted a moment ago.
    const surelyAt = (asked.get(injection.id) ?? startedAt) + STALE_MS;
    let isLeft = isReplaced(injection) && held.has(injection.id);
    for (;;) {
      const look = await definition.look(api, parameters, call(context, GIVE_PATIENCE_MS));
      switch (look.state) {
        case 'gone':
          if (!isReplaced(injection)) {
            context.note('Warning', object, `it is not given back: it ${look.words}`);
          }
          return;
        case 'there':
          // Unless it was seen to change, this may be from before the fault took hold.
          if (waiting.hasChanged || clock.monotonic() >= surelyAt) return;
          await clock.sleep(SECOND_LOOK_MS, context.signal);
          continue;
        case 'taken':
        case 'part':
          if (isLeft && clock.monotonic() < startedAt + REPLACING_MS) break;
          if (isLeft)
            context.note(
              'Warning',
              object,
              `it ${look.words}, and nothing has replaced it: it is given back`,
            );
          isLeft = false;
          await waiting.ask(() => definition.give(api, parameters, call(context, GIVE_PATIENCE_MS)));
          break;
        case 'going':
        case 'coming':
          waiting.hasChanged = true;
      }
      if (!(await waiting.pause())) {
        throw new RevertError(
          `${object} is not back after ${limitMs / 1000} s: it ${look.words}${waiting.refusal}; see to it at its vendor's console`,
        );
      }
    }
  }

  return {
    name,
    summary: definition.summary,
    tunables: definition.tunables,
    targets: 'resources',
    shape: 'sustained',
    where: 'api',
    permissions: [],
    calls: definition.calls,
    credentials: definition.credentials,
    recoverySeconds: backSeconds + RECOVERY_MARGIN_SECONDS,
    targetStatus: 'injected',
    injectMessage: `Injecting ${name} chaos on ${kind}`,
    ...(definition.validate === undefined ? {} : { validate: definition.validate }),
    historyTarget: ({ target }) => ({ kind, name: lastPart(target.name) }),
    findTargets: async (settings, context) => {
      const api = await apiOf(settings);
      const selection = await definition.select(
        api,
        settings,
        call(context, CALL_PATIENCE_MS, FIND_PATIENCE_MS),
      );
      refuseUnmeant(selection, settings.ALLOW_ALL_INSTANCES);
      return [...new Set(selection.names)].map((found) => ({ kind, name: found }));
    },
    observe: async (target, context) => {
      const settings = settingsOf(context);
      const api = await apiOf(settings);
      // JSON, by its contract.
      return { ...(await definition.observe(api, target.name, settings, call(context))) } as Observed;
    },
    plan: ({ targets }) =>
      targets.map(({ observed = {}, ...target }) => ({
        id: target.name.replaceAll('/', '.'),
        target,
        parameters: observed,
      })),
    inject: take,
    hold: async (injections, context, durationMs) => {
      await holdInRounds({
        injections,
        context,
        durationMs,
        // What is replaced is gone after the first time.
        intervalMs:
          definition.isContinuous === true || injections.some(isReplaced)
            ? durationMs
            : settingsOf(context).CHAOS_INTERVAL * 1000,
        take,
        give,
        check: async (injection) => {
          const parameters = parametersOf<P>(injection);
          const look = await definition.look(await apiOf(settingsOf(context)), parameters, call(context));
          // Something else may bring it back, or another in its place.
          const isTaken = look.state === 'taken' || isReplaced(injection);
          if (isTaken) return;
          const why = look.failed ?? `it ${look.words}, which was done by another client`;
          throw new InjectError(`${objectOf(injection.target)} is ${participle} no more: ${why}`);
        },
      });
      for (const { id } of injections) held.add(id);
    },
    effect: ({ id }) => {
      const count = times.get(id) ?? 0;
      if (count === 0) return Promise.resolve(undefined);
      return Promise.resolve({
        seen: true,
        message: `it was ${participle}${count === 1 ? '' : ` ${count} times`}, as its API says`,
      });
    },
    revert: give,
    settle: async (injections, context) => {
      const api = await apiOf(settingsOf(context));
      for (const injection of injections) {
        const waiting = new Waiting(context, context.recoveryTimeoutMs);
        for (;;) {
          const found = await definition.lacks?.(api, parametersOf<P>(injection), call(context));
          if (found === undefined) break;
          if (!(await waiting.pause())) {
            const limit = context.recoveryTimeoutMs / 1000;
            throw new StatusCheckError(
              `${objectOf(injection.target)} has not recovered after ${limit} s: ${found}; raise STATUS_CHECK_TIMEOUT if it takes longer`,
            );
          }
        }
      }
    },
  };
}

/** Waiting for a resource: pauses that grow, a limit, and calls that are not repeated before their effect can be seen. */
class Waiting {
  /** Whether it is known to change since the wait began. */
  hasChanged = false;
  /** Why the last call was not made, for messages; empty when it was. */
  refusal = '';
  readonly #context: Pick<FaultContext, 'clock' | 'signal'>;
  readonly #endsAt: number;
  #pauseMs = FIRST_PAUSE_MS;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(context: Pick<FaultContext, 'clock' | 'signal'>, limitMs: number) {
    this.#context = context;
    this.#endsAt = context.clock.monotonic() + limitMs;
  }

  /** Makes the call, unless it was made a moment ago; what cannot be done in the state that the resource is in now is tried later. */
  async ask(make: () => Promise<void>): Promise<void> {
    const { clock } = this.#context;
    if (clock.monotonic() - this.#askedAt < STALE_MS) return;
    this.#askedAt = clock.monotonic();
    try {
      await make();
      this.hasChanged = true;
      this.refusal = '';
    } catch (error) {
      if (!isCloudError(error, 'busy')) throw error;
      // Nothing was accepted, so that there is nothing to wait for.
      this.#askedAt = Number.NEGATIVE_INFINITY;
      this.refusal = `, and the API refuses to change that: ${error.message}`;
    }
  }

  /** False when the time is over. */
  async pause(): Promise<boolean> {
    const { clock, signal } = this.#context;
    const left = this.#endsAt - clock.monotonic();
    if (left <= 0) return false;
    await clock.sleep(Math.min(this.#pauseMs, left), signal);
    this.#pauseMs = Math.min(this.#pauseMs * 1.5, LONGEST_PAUSE_MS);
    return true;
  }
}

/** Refuses a resource that cannot be hit. Never returns. */
export function refuse(what: string, why: string): never {
  throw new TargetSelectionError(`cannot hit ${what}: ${why}`);
}
