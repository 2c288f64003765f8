import { type ReactElement, useMemo } from 'react';
import type { ExperimentDetails } from '../../../src/services/report/run-details.ts';
import type { RunAddress } from '../../address/run.ts';
import { clusterCommands } from '../../models/run/commands.ts';
import { plainText } from '../../models/words/plain.ts';
import { lazyView } from '../../parts/lazy-view/lazy-view.tsx';
import { Panel } from '../../parts/panel/panel.tsx';
import { Commands } from '../run/detail/commands.tsx';
import { Ledger, Probes, Settings } from '../run/detail/experiments.tsx';
import { Tabs } from '../run/detail/tabs.tsx';
import type { ShownClusterRun } from './generated/cluster.ts';
import { LogsPanel } from './logs-panel.tsx';
import { useClusterLog } from './use-log.ts';

const ClusterPlan = lazyView(
  'Loading the plan',
  async () => (await import('./cluster-plan.tsx')).ClusterPlan,
);

const PANES = ['logs', 'settings', 'ledger', 'probes', 'plan', 'object', 'command'] as const;
/** Kinds that can start again. */
const PLANNED: readonly string[] = ['ChaosEngine', 'Workflow'];

/** Details of a run of the cluster beside its times. */
export function ClusterDetail({
  run,
  model: { isRunning, startMs },
  selected,
  address,
  change,
}: {
  readonly run: ShownClusterRun;
  readonly model: { readonly isRunning: boolean; readonly startMs: number };
  /** Name of the lane of targets whose mark is selected. */
  readonly selected: string | undefined;
  readonly address: RunAddress;
  change(changes: Partial<RunAddress>, how: 'push' | 'replace'): void;
}): ReactElement {
  const { pane } = address;
  const experiments = useMemo(() => JSON.parse(run.details) as readonly ExperimentDetails[], [run.details]);
  // A deleted pod is listed because its log is kept.
  const pods = useMemo(() => run.pods.map((pod) => ({ ...pod, isKept: !pod.isThere })), [run.pods]);
  const canBegin = PLANNED.includes(run.object.kind);
  const panes = canBegin ? PANES : PANES.filter((one) => one !== 'plan');
  return (
    <section className="detail" aria-label="Details of the run">
      <Tabs panes={panes} shown={pane} onShow={(next) => change({ pane: next }, 'push')} />
      <Panel key={pane} name="This part">
        {pane === 'logs' ? (
          <LogsPanel pods={pods} useLog={useClusterLog} {...{ isRunning, startMs, address, change }} />
        ) : null}
        {pane === 'settings' ? <Settings experiments={experiments} /> : null}
        {pane === 'ledger' ? <Ledger experiments={experiments} selected={selected} /> : null}
        {pane === 'probes' ? <Probes experiments={experiments} /> : null}
        {pane === 'plan' && canBegin ? (
          <ClusterPlan manifest={run.manifest} namespace={run.object.namespace} />
        ) : null}
        {pane === 'object' ? <pre className="text">{plainText(run.manifest)}</pre> : null}
        {pane === 'command' ? (
          <Commands commands={clusterCommands(run.object)} manifest={run.manifest} />
        ) : null}
      </Panel>
    </section>
  );
}
