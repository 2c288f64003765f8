import { parseQuantity, quantityToNumber } from '@turnsole/kube/text/quantity';

/** How much of its storage a container is to use; JSON, part of a ledger entry. */
export interface FillGoal {
  /** Bytes that its writable layer uses when it is filled, what it used before included. */
  readonly goalBytes: number;
  /** Bytes that are written at once where space cannot be allocated. */
  readonly blockBytes: number;
}

/** Settings of disk-fill that decide the size. */
interface FillSettings {
  readonly FILL_PERCENTAGE: number;
  readonly EPHEMERAL_STORAGE_MEBIBYTES: number | undefined;
  readonly DATA_BLOCK_SIZE: number;
}

/**
 * The goal for a container's usage: the percentage of its limit, or the absolute size without a limit; undefined without
 * both. Pure.
 *
 * @param limit `resources.limits['ephemeral-storage']` of the container
 */
export function fillGoal(settings: FillSettings, limit: string | undefined): FillGoal | undefined {
  const { FILL_PERCENTAGE, EPHEMERAL_STORAGE_MEBIBYTES: mebibytes = 0, DATA_BLOCK_SIZE } = settings;
  const blockBytes = DATA_BLOCK_SIZE * 1024;
  if (limit !== undefined) {
    const limitBytes = quantityToNumber(parseQuantity(limit));
    return { goalBytes: Math.floor((limitBytes * FILL_PERCENTAGE) / 100), blockBytes };
  }
  return mebibytes === 0 ? undefined : { goalBytes: mebibytes * 1024 ** 2, blockBytes };
}
