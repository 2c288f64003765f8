import { ApiError, isAlreadyExists, isConflict, isNotFound } from '@turnsole/kube/client/errors';
import type { NewObject } from '@turnsole/kube/client/types';
import { type Condition, findCondition } from '@turnsole/kube/kinds/conditions';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { PODS, type Resource, SERVICES } from '@turnsole/kube/kinds/resources';
import { isOwnedBy } from '@turnsole/kube/runtime/owner-references';
import { type ChaosEngine, CONDITION_MONITORED } from '../../../api/index.ts';
import type { EngineReason } from '../../../chaos/errors/engine-reasons.ts';
import { classifyRefusal } from '../../../chaos/pod-start.ts';
import type { Phase } from './actions.ts';
import { ENGINE_EVENTS } from './engine-events.ts';
import type { EngineJournal, Outcome } from './engine-journal.ts';
import { monitorName } from './monitor.ts';
import { buildMonitorPod, buildMonitorService, type MonitorDefaults } from './monitor-objects.ts';

/** Answers that say something about the object; after others it is simply tried again. */
const REFUSALS: readonly number[] = [400, 403, 404, 422];

/** Makes and removes what serves the metrics of an engine. */
export class MonitorActions {
  readonly #journal: EngineJournal;
  readonly #defaults: MonitorDefaults;

  constructor(journal: EngineJournal, defaults: MonitorDefaults) {
    this.#journal = journal;
    this.#defaults = defaults;
  }

  /** Service first, as upstream. A refusal is reported in condition, Event and timeline, and stops no run. */
  async create(engine: ChaosEngine): Promise<Outcome> {
    try {
      await this.#make(engine, SERVICES, buildMonitorService(engine));
      await this.#make(engine, PODS, buildMonitorPod(engine, this.#defaults));
    } catch (error) {
      if (!(error instanceof MonitorRefusedError)) throw error;
      return this.#refused(engine, error);
    }
    const { name, namespace = '' } = engine.metadata;
    const message = `metrics are served by service ${namespace}/${monitorName(name)}, port 8080, /metrics`;
    return this.#report(engine, { status: 'True', reason: 'MonitorCreated', message });
  }

  /** A missing object needs nothing; an object of another owner stays. */
  async remove(engine: ChaosEngine): Promise<Outcome> {
    for (const resource of [SERVICES, PODS]) await this.#unmake(engine, resource);
    const conditions = (engine.status?.conditions ?? []).filter(({ type }) => type !== CONDITION_MONITORED);
    return this.#journal.write(engine, { status: { conditions } }, 'status-first');
  }

  async #make(engine: ChaosEngine, resource: Resource, object: NewObject<KubeObject>): Promise<void> {
    const { client } = this.#journal;
    const { name, namespace = '' } = engine.metadata;
    const monitor = monitorName(name);
    const what = `${resource.kind.toLowerCase()} ${monitor}`;
    try {
      await client.create(resource, object, { namespace });
    } catch (error) {
      if (isAlreadyExists(error)) {
        const present = await client.find<KubeObject>(resource, monitor, { namespace });
        if (present === undefined || isOwnedBy(present, engine)) return;
        const taken = `cannot make ${what}: one of that name exists that this engine does not own; delete it`;
        throw new MonitorRefusedError('NameTaken', taken, { cause: error });
      }
      if (!(error instanceof ApiError) || !REFUSALS.includes(error.code)) throw error;
      const said = error.status.message ?? error.message;
      const reason = classifyRefusal({ code: error.code, reason: error.reason, message: said });
      throw new MonitorRefusedError(reason ?? 'MonitorRefused', `cannot make ${what}: ${said}`, {
        cause: error,
      });
    }
  }

  async #unmake(engine: ChaosEngine, resource: Resource): Promise<void> {
    const { client } = this.#journal;
    const { name, namespace = '' } = engine.metadata;
    try {
      const present = await client.find<KubeObject>(resource, monitorName(name), { namespace });
      if (present === undefined || !isOwnedBy(present, engine)) return;
      if (present.metadata.deletionTimestamp !== undefined) return;
      const { uid } = present.metadata;
      await client.delete(resource, monitorName(name), {
        namespace,
        preconditions: { uid },
      });
    } catch (error) {
      // Gone meanwhile, or made anew by another client.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  async #refused(engine: ChaosEngine, { reason, message }: MonitorRefusedError): Promise<Outcome> {
    const known = findCondition(engine.status?.conditions, CONDITION_MONITORED);
    const isNews = known?.status !== 'False' || known.message !== message;
    const outcome = await this.#report(engine, { status: 'False', reason, message });
    const phase: Phase = 'chaos start';
    if (isNews) this.#journal.emit(engine, ENGINE_EVENTS.failed(phase, message));
    return outcome;
  }

  /** The time is that of the last try, from which the next one follows. */
  #report(
    engine: ChaosEngine,
    { status, reason, message }: Required<Pick<Condition, 'status' | 'reason' | 'message'>>,
  ): Promise<Outcome> {
    const { conditions } = engine.status ?? {};
    const known = findCondition(conditions, CONDITION_MONITORED);
    const others = (conditions ?? []).filter(({ type }) => type !== CONDITION_MONITORED);
    const condition = {
      ...this.#journal.condition(engine, status, reason, message),
      type: CONDITION_MONITORED,
    };
    const isNews = known?.status !== status || known.message !== message;
    this.#journal.log(engine).info({ reason, detail: message }, 'monitor');
    return this.#journal.write(
      engine,
      { status: { conditions: [...others, condition] } },
      'status-first',
      isNews ? { step: reason, message } : undefined,
    );
  }
}

/** Pod or service of the metrics could not be made. */
class MonitorRefusedError extends Error {
  override readonly name = 'MonitorRefusedError';
  readonly reason: EngineReason;

  constructor(reason: EngineReason, message: string, options: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
