import { parseTime } from '@turnsole/kube/text/time';
import { LABEL_COMPLETED, LABEL_PHASE } from '@turnsole/workflows/kinds/labels';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { CommandError } from '../errors.ts';

/** Selects workflows; all conditions must hold. */
export interface WorkflowSelection {
  readonly running?: boolean;
  readonly completed?: boolean;
  readonly resubmitted?: boolean;
  /** Phases, such as `Failed`; `Pending` is also the phase of those that no controller has opened yet. */
  readonly status?: readonly string[];
  /** How long ago they were created at most. */
  readonly sinceMs?: number;
  /** How long ago they ended at least. */
  readonly olderMs?: number;
  readonly prefix?: string;
}

const PHASES = ['Pending', 'Running', 'Succeeded', 'Failed', 'Error'];
const LABEL_RESUBMITTED = 'workflows.argoproj.io/resubmitted-from-workflow';

/**
 * The label selector of the part of a selection that the server can judge, with that of the user. Pure.
 *
 * @throws CommandError (bad input) for conditions that exclude one another, and unknown phases
 */
export function labelSelectorOf(
  { running = false, completed = false, resubmitted = false, status = [] }: WorkflowSelection,
  userSelector?: string,
): string | undefined {
  if (running && completed)
    throw new CommandError('--running and --completed exclude one another', 'OPTION_INVALID');
  const unknown = status.filter((phase) => !PHASES.includes(phase));
  if (unknown.length > 0)
    throw new CommandError(
      `--status: there is no phase ${unknown.join(', ')}; expected ${PHASES.join(', ')}`,
      'OPTION_INVALID',
    );
  const terms = [
    ...(userSelector === undefined || userSelector === '' ? [] : [userSelector]),
    ...(completed ? [`${LABEL_COMPLETED}=true`] : []),
    ...(running ? [`${LABEL_COMPLETED}!=true`] : []),
    ...(resubmitted ? [LABEL_RESUBMITTED] : []),
    // A workflow that no controller has seen has no such label.
    ...(status.length > 0 && !status.includes('Pending') ? [`${LABEL_PHASE} in (${status.join(',')})`] : []),
  ];
  return terms.length === 0 ? undefined : terms.join(',');
}

/** Whether a workflow is meant, as far as the server does not judge that. Pure. */
export function isSelected(
  { metadata, status }: Workflow,
  { status: phases = [], sinceMs, olderMs, prefix }: WorkflowSelection,
  nowMs: number,
): boolean {
  const created = parseTime(metadata.creationTimestamp) ?? nowMs;
  const finished = parseTime(status?.finishedAt);
  return (
    (phases.length === 0 || phases.includes(status?.phase || 'Pending')) &&
    (sinceMs === undefined || created >= nowMs - sinceMs) &&
    (olderMs === undefined || (finished !== undefined && finished <= nowMs - olderMs)) &&
    (prefix === undefined || metadata.name.startsWith(prefix))
  );
}
