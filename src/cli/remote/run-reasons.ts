import { asOneLine } from '@turnsole/kube/text/visible';
import { accountReport } from '../../services/report/account/account-report.ts';
import { readExecutionData } from '../../services/report/account/execution-data.ts';
import { withoutStop } from '../../services/report/error-words.ts';
import { reasonsOf } from '../../services/report/reasons.ts';

/**
 * Why a run did not pass, a line each, in the words in which its outcome is composed, but for what that has said already. An account without
 * steps has one reason, which is that of the outcome. Servers of ChaosCenter have the same fields. Pure.
 *
 * @param executionData the agent's account, or what the server says in its place
 * @param said the outcome; empty where it says no reason
 */
export function furtherReasons(executionData: string, said: string): readonly string[] {
  const account = readExecutionData(executionData);
  if (account === undefined) return [];
  if (account.nodes.length === 0) return said === '' ? withoutEmpty([account.message]) : [];
  const about = { turnsole: '', startedMs: 0, endedMs: 0, isStopped: false, problem: null };
  const experiments = accountReport(account, about).engines.flatMap((engine) => engine.experiments);
  const reasons = experiments.flatMap((experiment) =>
    reasonsOf(experiment).map((reason) => `${experiment.name}: ${withoutStop(reason)}`),
  );
  const before = lineOf(said);
  return withoutEmpty(reasons).filter((reason) => !before.includes(reason));
}

function withoutEmpty(lines: readonly string[]): string[] {
  return [...new Set(lines.map(lineOf))].filter((line) => line !== '');
}

/** One line without control characters: the words are those of a cluster. */
export function lineOf(value: string): string {
  return asOneLine(value).replace(/\s+/gu, ' ').trim();
}
