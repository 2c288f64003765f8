import { readdirSync, readFileSync } from 'node:fs';

/** A process of chaos, as /proc shows it. */
export interface ChaosProcess {
  readonly pid: number;
  readonly kind: 'runner' | 'experiment' | 'helper';
  readonly engine: string;
}

/** The processes of the engines of one cluster: those whose environment has this mark. Linux only. */
export function chaosProcesses(cluster: string): ChaosProcess[] {
  const found: ChaosProcess[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      const kind = words.find((word) => word === 'runner' || word === 'experiment' || word === 'helper');
      // A find over literals keeps its type only by saying so.
      if (kind === undefined) continue;
      const env = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      const variable = (key: string): string | undefined =>
        env.find((line) => line.startsWith(`${key}=`))?.slice(key.length + 1);
      const engine = variable('CHAOSENGINE');
      if (engine === undefined || !engine.startsWith(`${cluster}-`)) continue;
      found.push({ pid, kind: kind as ChaosProcess['kind'], engine });
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}
