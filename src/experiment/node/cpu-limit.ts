import { readOrEmpty } from '@turnsole/kube/base/machine';
import { cgroupFoldersOf } from './cgroup-folders.ts';

/** How many processors' time the cgroup of a process may use; undefined without a limit, and where it cannot be read. */
export async function cpuLimitOf(pid: number): Promise<number | undefined> {
  const folders = await cgroupFoldersOf(pid).catch(() => undefined);
  const folder = folders?.byController.get('cpu');
  if (folders === undefined || folder === undefined) return undefined;
  if (folders.version === 2) return parseCpuLimit(readOrEmpty(`${folder}/cpu.max`));
  const [quota, period] = ['cpu.cfs_quota_us', 'cpu.cfs_period_us'].map((file) =>
    readOrEmpty(`${folder}/${file}`).trim(),
  );
  return parseCpuLimit(`${quota} ${period}`);
}

/** Reads `50000 100000`, microseconds of each period; `max` and -1 are no limit. Pure. */
export function parseCpuLimit(text: string): number | undefined {
  const [quota = Number.NaN, period = Number.NaN] = text.trim().split(/\s+/).map(Number);
  return quota > 0 && period > 0 ? quota / period : undefined;
}
