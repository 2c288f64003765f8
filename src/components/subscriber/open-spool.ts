import type { Logger } from '../../kube/runtime/log.ts';
import { UsageError } from '../../process/usage-error.ts';
import { openFolder, type SpoolFolder } from '../../spool/folder.ts';
import { Spool } from '../../spool/spool.ts';
import { messageOf } from '../../text/error-message.ts';
import type { SubscriberMetrics } from './metrics.ts';
import type { SubscriberSettings } from './settings.ts';

interface SpoolOptions {
  readonly settings: Pick<SubscriberSettings, 'spoolFolder' | 'spoolBytes'>;
  readonly logger: Logger;
  readonly metrics: SubscriberMetrics;
  /** Hears the key of what went for want of space; gives whether it is read and stored anew, so that nothing is missing at the end. */
  readonly onDropped: (key: string) => boolean;
}

/**
 * The spool of this infrastructure, with what an earlier process left in it. What it loses is counted and logged.
 *
 * @throws UsageError when its folder cannot be made or written
 */
export async function openSpool({ settings, logger, metrics, onDropped }: SpoolOptions): Promise<Spool> {
  const spool = await Spool.open({
    folder: await usableFolder(settings.spoolFolder),
    limitBytes: settings.spoolBytes,
    onLoss: (loss) => {
      metrics.lost(loss.type);
      if (loss.type === 'dropped' && onDropped(loss.key)) return;
      if (loss.type === 'dropped') {
        logger.warn({ run: loss.key }, 'the spool is full: a state of a run was dropped for a newer one');
      } else {
        const keptAs = `${settings.spoolFolder}/${loss.keptAs}`;
        logger.error({ keptAs }, 'the spool was damaged; what could be read of it is delivered');
      }
    },
  });
  if (spool.size > 0)
    logger.info({ waiting: spool.size }, 'events of an earlier process are delivered first');
  return spool;
}

async function usableFolder(path: string): Promise<SpoolFolder> {
  try {
    return await openFolder(path);
  } catch (error) {
    throw new UsageError(`SPOOL_DIR must name a folder that can be made and written: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
