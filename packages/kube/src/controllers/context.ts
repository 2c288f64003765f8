import type { KubeObject } from '../kinds/core.ts';
import type { Resource } from '../kinds/resources.ts';
import type { BasicsWithRandom } from '../runtime/basics.ts';
import { EventRecorder, type LogFields, type Logger } from '../runtime/index.ts';
import { InformerFactory } from './informers.ts';
import type { EventNote } from './plan.ts';
import { Writer } from './writer.ts';

/** What every controller gets: the same view of the cluster, the same way to write, record Events and measure time. */
export interface ControllerContext extends BasicsWithRandom {
  readonly informers: InformerFactory;
  readonly writer: Writer;
  /** The recorder of one component; Events carry its name as their source. */
  eventsOf(component: string): ObjectEvents;
  /** Resolves when the Events recorded so far are written. */
  flushEvents(): Promise<void>;
}

/** Records Events of one component. */
export interface ObjectEvents {
  record(resource: Resource, object: KubeObject, note: EventNote): void;
}

/** Makes what the controllers of one process share; with `informers` it joins those of another set. */
export function createContext(
  parts: BasicsWithRandom & { readonly informers?: InformerFactory },
): ControllerContext {
  const { client, clock, random, logger } = parts;
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
    eventsOf: (component) => ({
      record: (resource, object, note) => recorderOf(component).recordOn(resource, object, note),
    }),
    flushEvents: async () => {
      await Promise.all([...recorders.values()].map((recorder) => recorder.flush()));
    },
  };
}

/**
 * The log does not mention Events that are dropped because there are too many: for a set of 200 pods the recorder writes the first 25,
 * as in Kubernetes.
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
