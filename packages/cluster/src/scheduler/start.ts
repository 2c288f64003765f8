import { type ClusterParts, createClusterContext } from '../controllers/shared/cluster-context.ts';
import { schedulerController } from './scheduler.ts';

/** What the scheduler needs. */
interface StartSchedulerOptions extends Omit<ClusterParts, 'options'> {
  /** Stops it when aborted. */
  readonly signal?: AbortSignal;
}

/** Starts the scheduler; resolves when it works. */
export async function startScheduler(options: StartSchedulerOptions): Promise<{ stop(): Promise<void> }> {
  const context = createClusterContext(options);
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
