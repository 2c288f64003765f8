import type { Logger } from '@turnsole/kube/base/log';
import { messageOf } from '@turnsole/kube/text/error-message';
import { UsageError } from '../../process/usage-error.ts';
import { openFolder, type SpoolFolder } from '../../spool/folder.ts';
import { memoryFolder } from '../../spool/memory-folder.ts';
import { Spool } from '../../spool/spool.ts';
import type { SubscriberMetrics } from './metrics.ts';
import type { SubscriberSettings } from './settings.ts';

interface SpoolOptions {
  readonly settings: Pick<SubscriberSettings, 'spoolFolder' | 'isSpoolChosen' | 'spoolBytes'>;
  readonly logger: Logger;
  readonly metrics: SubscriberMetrics;
  /** Hears the key of what went for want of space; gives whether it is read and stored anew, so that nothing is missing at the end. */
  readonly onDropped: (key: string) => boolean;
}

/**
 * The spool of this infrastructure, with what an earlier process left in it. What it loses is counted and logged. LitmusChaos' Deployment
 * has no volume for one, and a user who may write nowhere: there it is in memory.
 *
 * @throws UsageError when the folder that SPOOL_DIR names cannot be made or written
 */
export async function openSpool({ settings, logger, metrics, onDropped }: SpoolOptions): Promise<Spool> {
  const spool = await Spool.open({
    folder: await usableFolder(settings, logger),
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

async function usableFolder(
  { spoolFolder, isSpoolChosen }: SpoolOptions['settings'],
  logger: Logger,
): Promise<SpoolFolder> {
  try {
    const folder = await openFolder(spoolFolder);
    await tryToWrite(folder);
    return folder;
  } catch (error) {
    const detail = messageOf(error);
    if (isSpoolChosen)
      throw new UsageError(`SPOOL_DIR must name a folder that can be made and written: ${detail}`, {
        cause: error,
      });
    logger.warn(
      { folder: spoolFolder, detail },
      'events wait in memory: those that the server has not taken are lost when this process ends; mount a volume, and name it in SPOOL_DIR',
    );
    return memoryFolder();
  }
}

/** A folder that is there already may still not be writable. */
async function tryToWrite(folder: SpoolFolder): Promise<void> {
  const file = await folder.open(TRIED);
  await file.close();
  await folder.remove(TRIED);
}

const TRIED = 'spool.tried';
