import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useMemo } from 'react';
import type { RunAddress } from '../../address/run.ts';
import { ask } from '../../api/client.ts';
import type { ExecutionNode } from '../../models/run/execution.ts';
import { RUN_PODS, type ShownRun } from './generated/run.ts';
import { LogsPanel } from './logs-panel.tsx';
import type { RunModel } from './run-model.ts';
import { useRunLog } from './use-run-log.ts';

/** The logs of a run's pods: read by its agent, or kept with the run. */
export function RunLogs({
  run,
  project,
  steps,
  model,
  only,
  address,
  change,
}: {
  readonly run: ShownRun;
  readonly project: string;
  readonly steps: readonly ExecutionNode[];
  readonly model: Pick<RunModel, 'axis' | 'isRunning'>;
  /** Names of the pods. @default all of the run */
  readonly only?: readonly string[];
  readonly address: RunAddress;
  change(changes: Partial<RunAddress>, how: 'push' | 'replace'): void;
}): ReactElement {
  const variables = { projectID: project, runID: run.experimentRunID };
  // Pods are created and deleted with steps, and logs kept after them, so each such change triggers a new request.
  const course = useMemo(
    () => `${run.phase} ${run.keptLogs} ${courseOf(steps)}`,
    [run.phase, run.keptLogs, steps],
  );
  const query = useQuery({
    queryKey: [RUN_PODS.text, variables, course],
    queryFn: ({ signal }) => ask(RUN_PODS, variables, signal),
    enabled: run.experimentRunID !== '',
    placeholderData: (before) => before,
  });
  const { pods: all = [], problem } = query.data?.getRunPods ?? {};
  const about = { infraID: run.infra.infraID, runID: run.experimentRunID, project };
  const pods = all
    .filter(({ name }) => only === undefined || only.includes(name))
    .map((pod) => ({ ...pod, ...about }));
  const why = query.error?.message ?? problem ?? undefined;
  return (
    <LogsPanel
      pods={pods}
      useLog={useRunLog}
      isRunning={model.isRunning}
      startMs={model.axis.startMs}
      isLoading={query.isPending && query.isFetching}
      {...(why !== undefined && { problem: why })}
      address={address}
      change={change}
    />
  );
}

/** Progress of the steps, as a text that changes when one begins or ends. */
function courseOf(steps: readonly ExecutionNode[]): string {
  const [begun, over] = [
    steps.filter(({ startMs }) => startMs !== undefined),
    steps.filter(({ endMs }) => endMs !== undefined),
  ];
  const pods = steps.filter(({ engine }) => (engine?.experimentPod ?? '') !== '');
  return `${begun.length} ${over.length} ${pods.length}`;
}
