import { readFileSync } from 'node:fs';
import type { Pod } from '@turnsole/kube/kinds/core';
import { upperFolder } from '../../../src/faults/stress/disk/layers.ts';
import { firstProcessOf } from '../../support/first-process.ts';

/** The folder that holds what a container has written. */
export async function layerOf(pod: Pod): Promise<string> {
  const pid = await firstProcessOf(pod);
  return upperFolder(readFileSync(`/proc/${pid}/mountinfo`, 'utf8')) ?? '';
}
