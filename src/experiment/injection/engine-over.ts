import type { Clock } from '@turnsole/kube/base/clock';
import { isForbidden, isGone } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import { CHAOS_ENGINES, type ChaosEngine } from '../../api/index.ts';

/** The engine to follow, and the means. */
interface EngineOverOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The known version, from which the watch starts. Undefined: the engine is read first. */
  readonly resourceVersion?: string | undefined;
  /** Called when a look shows that the engine wants chaos, or that it may not be read; maybe several times. */
  readonly onWanted?: (() => void) | undefined;
  readonly signal: AbortSignal;
}

/** Pace of looking where watching is not allowed. */
const LOOK_EVERY_MS = 2_000;
/** After a watch has ended or failed. */
const RETRY_MS = 500;

/**
 * Resolves when the engine wants no more chaos, with the reason: it is stopped, being deleted, or gone. So a stop is obeyed at
 * once, and also where no operator runs. Never rejects but with the signal's reason; outages are waited out.
 */
export async function engineOver(options: EngineOverOptions): Promise<string> {
  const { client, clock, namespace, name, uid, signal, onWanted } = options;
  let { resourceVersion } = options;
  let mayWatch = true;
  for (;;) {
    signal.throwIfAborted();
    try {
      if (resourceVersion === undefined) {
        const engine = await client.get<ChaosEngine>(CHAOS_ENGINES, name, { namespace, signal });
        const reason = whyOver(engine, name, uid);
        if (reason !== undefined) return reason;
        onWanted?.();
        resourceVersion = engine.metadata.resourceVersion;
      }
      if (mayWatch) {
        const fieldSelector = `metadata.name=${name}`;
        const request = { namespace, fieldSelector, resourceVersion, signal };
        for await (const event of client.watch<ChaosEngine>(CHAOS_ENGINES, request)) {
          if (event.type === 'BOOKMARK' || event.object.metadata.name !== name) continue;
          const reason = whyOver(event.type === 'DELETED' ? undefined : event.object, name, uid);
          if (reason !== undefined) return reason;
        }
      }
    } catch (error) {
      signal.throwIfAborted();
      if (isGone(error)) return whyOver(undefined, name, uid) ?? '';
      if (isForbidden(error)) {
        mayWatch = false;
        onWanted?.();
      }
    }
    resourceVersion = undefined;
    await clock.sleep(mayWatch ? RETRY_MS : LOOK_EVERY_MS, signal);
  }
}

/** Why an engine as it is now wants no chaos; undefined while it does. Pure. */
export function whyOver(engine: ChaosEngine | undefined, name: string, uid: string): string | undefined {
  if (engine === undefined || engine.metadata.uid !== uid) return `ChaosEngine ${name} is gone`;
  if (engine.metadata.deletionTimestamp !== undefined) return `ChaosEngine ${name} is being deleted`;
  return engine.spec.engineState === 'stop' ? `ChaosEngine ${name} is stopped` : undefined;
}
