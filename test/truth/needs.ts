/** What of this machine rows cannot do without, and what of it is missing. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { effectsImpossible } from '../faults/support/fault-cluster.ts';
import type { Need } from './row.ts';

const exec = promisify(execFile);

/** Programs that answer with success when something is there. */
const QUESTIONS: Readonly<Record<Exclude<Need, 'root'>, readonly [program: string, ...args: string[]]>> = {
  nft: ['nft', '--version'],
  fio: ['fio', '--version'],
  netem: ['unshare', '--net', 'tc', 'qdisc', 'add', 'dev', 'lo', 'root', 'netem', 'delay', '1ms'],
};

/** Why needs are not met, for those that are not. */
export async function missingNeeds(): Promise<ReadonlyMap<Need, string>> {
  const missing = new Map<Need, string>();
  if (effectsImpossible !== false) missing.set('root', effectsImpossible);
  for (const [need, [program, ...args]] of Object.entries(QUESTIONS)) {
    await exec(program, args).catch(() => missing.set(need as Need, `this machine has no ${need}`));
  }
  return missing;
}
