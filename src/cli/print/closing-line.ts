import { EXIT } from '../../process/exit-codes.ts';
import type { RunReport } from '../../services/report/model.ts';
import { outcomeSentence } from '../../services/report/outcome/run-outcome.ts';

/**
 * What a reader of several rows is to know at last: what a pass has shown, or what decided; a workflow that succeeded may stand last in the tables of
 * a run that did not. Undefined where the only row says it. Pure.
 */
export function closingLine({
  outcome,
  engines,
  workflows = [],
}: Pick<RunReport, 'outcome' | 'engines' | 'workflows'>): string | undefined {
  if (outcome === undefined || outcome.survival !== undefined) return outcome?.survival;
  const rows = engines.flatMap(({ experiments }) => experiments).length + workflows.length;
  return rows > 1 && outcome.exitCode !== EXIT.pass ? outcomeSentence(outcome) : undefined;
}
