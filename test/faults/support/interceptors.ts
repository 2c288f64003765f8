import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Pod } from '@turnsole/kube/kinds/core';
import { firstProcessOf } from '../../support/first-process.ts';

/** Process ids of the interceptors in the network of a pod. */
export async function interceptorsOf(pod: Pod): Promise<number[]> {
  const pid = await firstProcessOf(pod);
  const network = readlinkSync(`/proc/${pid}/ns/net`);
  return readdirSync('/proc').flatMap((name) => {
    try {
      const [program = '', main = ''] = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      const isOne = program.endsWith('node') && /interceptor(-main\.ts|\.js)$/.test(main);
      return isOne && readlinkSync(`/proc/${name}/ns/net`) === network ? [Number(name)] : [];
    } catch {
      // No process, or one that has just ended.
      return [];
    }
  });
}
