import { type ReactElement, useMemo } from 'react';
import type { ExperimentDetails } from '../../../src/services/report/run-details.ts';
import type { RunAddress } from '../../address/run.ts';
import type { ExecutionNode } from '../../models/run/execution.ts';
import { watchedObject } from '../../models/run/watched.ts';
import { lazyView } from '../../parts/lazy-view/lazy-view.tsx';
import { Panel } from '../../parts/panel/panel.tsx';
import { Ledger, Probes, Settings } from './detail/experiments.tsx';
import { Tabs } from './detail/tabs.tsx';
import type { ShownRun } from './generated/run.ts';
import { RunLogs } from './run-logs.tsx';
import type { RunModel } from './run-model.ts';

const RunObject = lazyView('Loading the object', async () => (await import('./run-manifest.tsx')).RunObject);
const RunPlan = lazyView('Loading the plan', async () => (await import('./run-manifest.tsx')).RunPlan);

const RunCommands = lazyView(
  'Loading the commands',
  async () => (await import('./run-commands.tsx')).RunCommands,
);

const PANES = ['logs', 'probes', 'settings', 'ledger', 'plan', 'object', 'command'] as const;
/** Kinds of objects that can begin again. */
const PLANNED: readonly string[] = ['ChaosEngine', 'Workflow'];

/** What is known of a run as a whole: of all of its steps. */
export function RunDetail({
  project,
  run,
  steps,
  model,
  selected,
  address,
  change,
}: {
  readonly project: string;
  readonly run: ShownRun;
  readonly steps: readonly ExecutionNode[];
  readonly model: Pick<RunModel, 'axis' | 'isRunning'>;
  /** Name of the lane of targets whose mark is selected. */
  readonly selected: string | undefined;
  readonly address: RunAddress;
  change(changes: Partial<RunAddress>, how: 'push' | 'replace'): void;
}): ReactElement {
  const experiments = useMemo(
    () => (run.details ? (JSON.parse(run.details) as readonly ExperimentDetails[]) : []),
    [run.details],
  );
  const object = watchedObject(run.experimentRunID);
  const canBegin = object === undefined ? run.experimentID !== '' : PLANNED.includes(object.kind);
  const panes = PANES.filter((one) => one !== 'plan' || canBegin);
  const pane = panes.find((one) => one === address.pane) ?? 'logs';
  return (
    <section className="detail" aria-label="Details of the run">
      <Tabs panes={panes} shown={pane} onShow={(next) => change({ pane: next }, 'push')} />
      <Panel key={pane} name="This part">
        {pane === 'logs' ? <RunLogs {...{ run, project, steps, model, address, change }} /> : null}
        {pane === 'settings' ? <Settings experiments={experiments} /> : null}
        {pane === 'ledger' ? <Ledger experiments={experiments} selected={selected} /> : null}
        {pane === 'probes' ? <Probes experiments={experiments} /> : null}
        {pane === 'plan' ? <RunPlan project={project} run={run} /> : null}
        {pane === 'object' ? <RunObject project={project} run={run} /> : null}
        {pane === 'command' ? <RunCommands project={project} run={run} /> : null}
      </Panel>
    </section>
  );
}
