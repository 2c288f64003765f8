import type { ChaosEngine, ChaosResult } from '../../../src/api/index.ts';
import type { BatchEngine } from './run-batch.ts';
import type { Blow } from './scenario.ts';

/** What an experiment can do nothing about. */
const HARMFUL: readonly Blow['what'][] = [
  'kill experiment',
  'kill helper',
  'kill cluster',
  'kill agent',
  'stop agent',
  'power off',
  'stop engine',
  'delete engine',
  'drop connections',
];

/**
 * Whether the bound on residues is enforced: experiment, helper or node agent died, and neither runner nor operator were killed
 * besides. After `kill agent` it counts again from when the agents are back, although all pods have to be started anew then.
 */
export function isMeasured({ hit, shaken }: Pick<BatchEngine, 'hit' | 'shaken'>): boolean {
  return !hit.has('kill runner') && !hit.has('kill cluster') && !shaken.has('kill operator');
}

/** Whether nothing more comes of an engine: it has ended, or was stopped before it began, which gives it no status. */
export function isOver({ spec, status }: Pick<ChaosEngine, 'spec' | 'status'>): boolean {
  const word = status?.engineStatus ?? '';
  return word === 'completed' || word === 'stopped' || (word === '' && spec.engineState === 'stop');
}

/** What is wrong with the verdicts of an engine. Pure. */
export function judge(
  { name, scenario, hit }: BatchEngine,
  engines: readonly ChaosEngine[],
  results: readonly ChaosResult[],
): string[] {
  const wrong: string[] = [];
  const say = (text: string): void => void wrong.push(`seed ${scenario.seed}, engine ${name}: ${text}`);
  const engine = engines.find(({ metadata }) => metadata.name === name);
  const own = results.filter(({ spec }) => spec?.engine === name);
  if (own.length > 1) say(`${own.length} results`);
  const [result] = own;
  const verdict = result?.status?.experimentStatus?.verdict;
  const { passedRuns = 0, failedRuns = 0, stoppedRuns = 0 } = result?.status?.history ?? {};
  if (passedRuns + failedRuns + stoppedRuns > 1) say('counted more than once');
  if (verdict === 'Awaited') say('the result has no verdict');
  if (engine?.status?.engineStatus === 'completed' || engine?.status?.engineStatus === 'stopped') {
    const [entry, ...more] = engine.status.experiments ?? [];
    const began = (engine.status.runnerAttempts ?? 0) > 0;
    if (more.length > 0) say('doubled entries');
    if (engine.status.engineStatus === 'completed') {
      if (entry === undefined) say('completed without an entry');
      else if (verdict !== undefined && entry.verdict !== verdict && entry.verdict !== 'Error') {
        say(`the engine says ${entry.verdict}, the result ${verdict}`);
      }
      if (entry?.verdict === 'Awaited' || entry?.verdict === 'N/A') say(`verdict ${entry.verdict}`);
    } else if (!began && entry !== undefined) say('an entry of a run that never began');
    if (verdict === 'Pass' && entry !== undefined && entry.verdict !== 'Pass') {
      say(`the engine says ${entry.verdict} though the result says Pass`);
    }
    const harmless = !HARMFUL.some((what) => hit.has(what));
    if (harmless && entry?.verdict !== 'Pass')
      say(`nothing touched the experiment, and it says ${entry?.verdict} (${entry?.reason})`);
  }
  return wrong;
}
