import { readFileSync } from 'node:fs';
import type { Pod } from '../../../src/api/index.ts';
import { locateContainer } from '../../../src/experiment/index.ts';
import { upperFolder } from '../../../src/faults/stress/disk/layers.ts';

/** The folder that holds what a container has written. */
export async function layerOf(pod: Pod): Promise<string> {
  const { pid } = await locateContainer(pod.status?.containerStatuses?.[0]?.containerID ?? '');
  return upperFolder(readFileSync(`/proc/${pid}/mountinfo`, 'utf8')) ?? '';
}
