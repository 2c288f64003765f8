import { EXIT } from '../../process/exit-codes.ts';
import type { EngineReport, NodeReport, WorkflowReport } from './model.ts';
import { workflowOutcome } from './outcome/of-report.ts';
import type { RunOutcome } from './outcome/run-outcome.ts';

/** A case of a JUnit suite as it is before it is XML. */
export interface SuiteCase {
  readonly name: string;
  readonly kind: 'passed' | 'failure' | 'error' | 'skipped';
  readonly message: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
}

const GROUPS = ['Steps', 'StepGroup', 'DAG', 'TaskGroup', 'Retry'];

/**
 * The cases of a workflow: one per node that does something itself, and one for the workflow, which also fails by its time limit or when
 * a user ends it. Pure.
 */
export function workflowCases(
  workflow: WorkflowReport,
  engines: readonly EngineReport[],
  outcome: RunOutcome = workflowOutcome(workflow, engines),
): SuiteCase[] {
  const whole: SuiteCase = {
    name: `workflow ${workflow.name}`,
    ...endOf(workflow, outcome),
    ...timesOf(workflow),
  };
  return [whole, ...workflow.nodes.filter(({ type }) => !GROUPS.includes(type)).map(nodeCase)];
}

/** What experiments decided is said by their own cases. */
function endOf(workflow: WorkflowReport, outcome: RunOutcome): Pick<SuiteCase, 'kind' | 'message'> {
  const { phase, reason, message } = workflow;
  const { word, by, exitCode } = outcome;
  if (by === 'chaos' || exitCode === undefined || exitCode === EXIT.pass) {
    return { kind: KINDS[phase] ?? 'error', message: reason ?? message ?? `phase ${phase}` };
  }
  return { kind: word === 'Failed' ? 'failure' : 'error', message: outcome.reason ?? word };
}

function nodeCase(node: NodeReport): SuiteCase {
  return {
    name: node.name,
    kind: KINDS[node.phase] ?? 'error',
    message: node.message ?? `phase ${node.phase}`,
    ...timesOf(node),
  };
}

const KINDS: Readonly<Record<string, SuiteCase['kind']>> = {
  Succeeded: 'passed',
  Failed: 'failure',
  Skipped: 'skipped',
  Omitted: 'skipped',
};

function timesOf({ startedAt, endedAt }: Pick<SuiteCase, 'startedAt' | 'endedAt'>) {
  return { ...(startedAt !== undefined && { startedAt }), ...(endedAt !== undefined && { endedAt }) };
}
