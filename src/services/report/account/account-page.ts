import type { RunOutcome } from '../outcome/run-outcome.ts';
import type { TimelinePage } from '../timeline-page/model.ts';
import { accountSteps, type RunAccount, verdictOfEngine } from './account.ts';
import type { AboutAccount } from './account-report.ts';

/** The page of a run that is known only by an agent's account. Its lanes are made in the page, by the same models as a server's. Pure. */
export function accountPage(
  account: RunAccount,
  {
    title,
    text,
    startedMs,
    endedMs,
    problem,
    outcome,
  }: { readonly title: string; readonly text: string; readonly outcome?: RunOutcome } & Omit<
    AboutAccount,
    'turnsole'
  >,
): TimelinePage {
  return {
    title,
    runId: account.name,
    startMs: startedMs,
    endMs: Math.max(endedMs, startedMs + 1),
    verdicts: account.nodes.flatMap((node) =>
      node.engine
        ? [
            {
              experiment: node.engine.experiment || node.name,
              verdict: verdictOfEngine(node),
              detail: node.engine.failStep,
            },
          ]
        : [],
    ),
    warnings: problem === null ? [] : [`The run never began: ${problem}`],
    lanes: [],
    steps: accountSteps(account),
    account: text,
    ...(outcome !== undefined && { outcome }),
  };
}
