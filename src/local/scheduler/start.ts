import type { KubeClient } from '../../kube/client/types.ts';
import { type Clock, type Logger, type Random, silentLogger, systemClock } from '../../kube/runtime/index.ts';
import { createContext } from '../controllers/shared/context.ts';
import type { InformerFactory } from '../controllers/shared/informers.ts';
import { compileControllerOptions } from '../controllers/shared/options.ts';
import { schedulerController } from './scheduler.ts';

/** What the scheduler needs; it reaches the cluster through the client and nothing else. */
export interface StartSchedulerOptions {
  readonly client: KubeClient;
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** @default Math.random */
  readonly random?: Random;
  readonly logger?: Logger;
  /** Stops it when aborted. */
  readonly signal?: AbortSignal;
  /** Informers shared with others of the process; who made them stops them. @default own ones */
  readonly informers?: InformerFactory;
}

/** Starts the scheduler; resolves when it works. */
export async function startScheduler(options: StartSchedulerOptions): Promise<{ stop(): Promise<void> }> {
  const context = createContext({
    client: options.client,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    logger: options.logger ?? silentLogger,
    options: compileControllerOptions({}),
    ...(options.informers === undefined ? {} : { informers: options.informers }),
  });
  const scheduler = schedulerController(context);
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= (async () => {
      await scheduler.stop({ graceMs: 1_000 });
      if (options.informers === undefined) await context.informers.stop();
      await context.flushEvents();
    })();
    return stopped;
  };
  options.signal?.addEventListener('abort', () => void stop(), { once: true });
  context.informers.start();
  try {
    await scheduler.start(options.signal);
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}
