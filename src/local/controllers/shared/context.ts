import type { KubeObject } from '../../../api/core.ts';
import { apiVersionOf, type Resource } from '../../../api/resources.ts';
import { ApiError } from '../../../kube/client/errors.ts';
import type { KubeClient } from '../../../kube/client/types.ts';
import {
  type Clock,
  EventRecorder,
  type LogFields,
  type Logger,
  type Random,
} from '../../../kube/runtime/index.ts';
import { InformerFactory } from './informers.ts';
import type { CompiledControllerOptions } from './options.ts';
import type { EventNote } from './plan.ts';
import { Writer } from './writer.ts';

/** What every controller gets: the same view of the cluster, the same way to write, tell and measure time. */
export interface ControllerContext {
  readonly client: KubeClient;
  readonly informers: InformerFactory;
  readonly writer: Writer;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly options: CompiledControllerOptions;
  /** The recorder of one component; Events carry its name as their source. */
  eventsOf(component: string): ObjectEvents;
  /** Resolves when the Events recorded so far are written. */
  flushEvents(): Promise<void>;
}

/** Records Events of one component. */
export interface ObjectEvents {
  record(resource: Resource, object: KubeObject, note: EventNote): void;
}

/** Makes what the controllers of one process share; with `informers` it joins those of somebody else. */
export function createContext(parts: {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly options: CompiledControllerOptions;
  readonly informers?: InformerFactory;
}): ControllerContext {
  const { client, clock, random, logger, options } = parts;
  const informers = parts.informers ?? new InformerFactory({ client, clock, random, logger });
  const recorders = new Map<string, EventRecorder>();
  const recorderOf = (component: string): EventRecorder => {
    const present = recorders.get(component);
    if (present !== undefined) return present;
    const recorder = new EventRecorder({ client, component, clock, logger: hushed(logger) });
    recorders.set(component, recorder);
    return recorder;
  };
  return {
    client,
    informers,
    writer: new Writer(client, informers),
    clock,
    random,
    logger,
    options,
    eventsOf: (component) => ({
      record: (resource, object, note) => {
        const target = {
          apiVersion: apiVersionOf(resource),
          kind: resource.kind,
          metadata: object.metadata,
        };
        recorderOf(component).record(target, note);
      },
    }),
    flushEvents: async () => {
      await Promise.all([...recorders.values()].map((recorder) => recorder.flush()));
    },
  };
}

/**
 * Events that are dropped because there are too many of them are no news in a log: a set of 200 pods tells of the first 25, as
 * in Kubernetes.
 */
function hushed(logger: Logger): Logger {
  return {
    debug: (...line: [string] | [LogFields, string]) => logDebug(logger, line),
    info: (...line: [string] | [LogFields, string]) => logDebug(logger, line),
    warn: (...line: [string] | [LogFields, string]) => logDebug(logger, line),
    error: (...line: [string] | [LogFields, string]) => logDebug(logger, line),
    child: (fields) => hushed(logger.child(fields)),
  };
}

function logDebug(logger: Logger, [first, second]: [string] | [LogFields, string]): void {
  if (typeof first === 'string') logger.debug(first);
  else logger.debug(first, second ?? '');
}

/** What the server said about a failure, without the request that only we know; anything else as text. */
export function explain(error: unknown): string {
  if (error instanceof ApiError) return error.status.message ?? error.message;
  return error instanceof Error ? error.message : String(error);
}

/** Whether a write was refused because its namespace is being deleted: nothing to complain about. */
export function isNamespaceGoing(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') === true
  );
}
