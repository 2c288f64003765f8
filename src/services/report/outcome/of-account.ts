import { accountReport } from '../account/account-report.ts';
import type { ExecutionData } from '../account/execution-data.ts';
import { matchFaults } from '../account/match-faults.ts';
import { reportOutcome } from './of-report.ts';
import type { RunOutcome } from './run-outcome.ts';
import { underWay } from './run-states.ts';

/** A fault that the manifest of a run has. */
export interface ExpectedFault {
  /** Prefix of its engines' names. */
  readonly name: string;
  /** Other names of its step; empty where they are not known. */
  readonly artifact?: string;
  readonly template?: string;
}

/** What is known of a run beside its agent's account. */
interface AboutRun {
  /** Whether a user stopped it. */
  readonly isStopped: boolean;
  readonly isOver: boolean;
  /** Why it never began; null for a run that its agent has reported. */
  readonly problem: string | null;
  readonly faults: readonly ExpectedFault[];
}

/** The outcome of a run that is known by an agent's account, of any maker's agent. Pure. */
export function accountOutcome(account: ExecutionData, about: AboutRun): RunOutcome {
  const { isStopped, isOver, problem, faults } = about;
  if (!isOver && !isStopped && problem === null) {
    return { ...underWay(account.phase), by: 'run', isScored: false };
  }
  const report = accountReport(account, { turnsole: '', startedMs: 0, endedMs: 0, isStopped, problem });
  return reportOutcome(report, { isOver, notMade: notMade(account, faults) });
}

/** Steps whose engine the agent does not know, and faults of the manifest that no step was left out for. */
function notMade(account: ExecutionData, faults: readonly ExpectedFault[]): string[] {
  const steps = account.nodes.filter(({ engine, phase }) => engine === null && !LEFT_OUT.includes(phase));
  const leftOut = account.nodes.filter(({ phase }) => LEFT_OUT.includes(phase)).map(({ name }) => name);
  const found = matchFaults(faults, account).map(({ fault }) => fault);
  const missing = faults.filter(
    (fault) => !found.includes(fault) && !namesOf(fault).some((name) => leftOut.includes(name)),
  );
  // A step with an unknown engine is one of the missing faults: it is named once.
  return steps.length > 0 ? steps.map(({ name }) => `step ${name}`) : missing.map(({ name }) => name);
}

/** Phases of steps that were not to run, as their `when` says. */
const LEFT_OUT: readonly string[] = ['Skipped', 'Omitted'];

function namesOf({ name, artifact = '', template = '' }: ExpectedFault): string[] {
  return [name, artifact, template].filter((one) => one !== '');
}
