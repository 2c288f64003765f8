import { injectionsOf } from '../../../services/report/run-record.ts';
import { recordedRun } from './run-page.ts';
import type { StoredRecord } from './stored-record.ts';

/** Names of what a run has hit, without duplicates. */
export interface HitByRun {
  /** Namespaces of what was hit. */
  readonly namespaces: readonly string[];
  readonly pods: readonly string[];
}

/** What a run has hit so far, by the ledgers from its agent, reverted or not. Pure. */
export function hitByRun(records: readonly StoredRecord[], executionText: string): HitByRun {
  const run = recordedRun(records, executionText);
  const engines = 'workflow' in run ? run.engines : [run];
  const targets = engines
    .flatMap(injectionsOf)
    .filter(({ injectedAt }) => injectedAt !== undefined)
    .map(({ target }) => target);
  const pods = targets.filter(({ kind }) => kind === 'pod').map(({ name }) => name);
  return { namespaces: unique(targets.map(({ namespace }) => namespace)), pods: unique(pods) };
}

function unique(names: readonly (string | undefined)[]): string[] {
  return [...new Set(names)].filter((name) => name !== undefined).toSorted();
}
