import { type ReactElement, useMemo } from 'react';
import { errorText } from '../../../src/services/report/error-words.ts';
import type { ExperimentDetails } from '../../../src/services/report/run-details.ts';
import type { RunAddress } from '../../address/run.ts';
import type { ExecutionNode } from '../../models/run/execution.ts';
import { stepManifest } from '../../models/run/step-manifest.ts';
import { plainText } from '../../models/words/plain.ts';
import { lazyView } from '../../parts/lazy-view/lazy-view.tsx';
import { Panel } from '../../parts/panel/panel.tsx';
import { textColumn } from '../../parts/table/column-kinds.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { LocalTable } from '../../parts/table/local-table.tsx';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import { StateView } from '../state-view.tsx';
import { useAsk } from '../use-ask.ts';
import { Ledger } from './detail/experiments.tsx';
import { ProbeTable } from './detail/probe-table.tsx';
import { Tabs } from './detail/tabs.tsx';
import { RUN_MANIFEST, type ShownRun } from './generated/run.ts';
import { RunLogs } from './run-logs.tsx';
import type { RunModel } from './run-model.ts';

const RunCommands = lazyView(
  'Loading the commands',
  async () => (await import('./run-commands.tsx')).RunCommands,
);

const PANES = ['probes', 'logs', 'settings', 'ledger', 'object', 'command'] as const;

/** Details of the selected step. */
export function StepDetail({
  project,
  step,
  steps,
  model,
  run,
  selected,
  address,
  change,
}: {
  readonly project: string;
  readonly step: ExecutionNode;
  readonly steps: readonly ExecutionNode[];
  readonly model: Pick<RunModel, 'axis' | 'isRunning'>;
  readonly run: ShownRun;
  /** Name of the lane of targets whose mark is selected. */
  readonly selected: string | undefined;
  readonly address: RunAddress;
  change(changes: Partial<RunAddress>, how: 'push' | 'replace'): void;
}): ReactElement {
  const pane = PANES.find((one) => one === address.pane) ?? 'probes';
  return (
    <section className="detail" aria-label={`Step ${plainText(step.name)}`}>
      <h2>
        <bdi>{plainText(step.name)}</bdi> <Verdict state={step.engine?.verdict || step.phase} />
      </h2>
      {step.message === '' ? null : <p>{plainText(step.message)}</p>}
      {step.engine === undefined || step.engine.failStep === '' ? null : (
        <p>{plainText(errorText(step.engine.failStep))}</p>
      )}
      <Tabs panes={PANES} shown={pane} onShow={(next) => change({ pane: next }, 'push')} />
      <Panel key={`${step.id} ${pane}`} name="This part">
        {pane === 'probes' ? <Probes step={step} /> : null}
        {pane === 'logs' ? (
          <RunLogs {...{ run, project, steps, model, address, change }} only={podsOf(step)} />
        ) : null}
        {pane === 'settings' ? <StepSettings project={project} run={run} step={step} /> : null}
        {pane === 'ledger' ? <StepLedger run={run} step={step} selected={selected} /> : null}
        {pane === 'object' ? <pre className="text">{JSON.stringify(step, null, 2)}</pre> : null}
        {pane === 'command' ? <RunCommands project={project} run={run} /> : null}
      </Panel>
    </section>
  );
}

/** The step's part of the manifest, with the settings of its engine if it has one. */
function StepSettings({
  project,
  run,
  step,
}: {
  readonly project: string;
  readonly run: ShownRun;
  readonly step: ExecutionNode;
}): ReactElement {
  const view = useAsk(RUN_MANIFEST, { projectID: project, runID: run.experimentRunID });
  return (
    <StateView view={view} what="the manifest of this run">
      {({ getExperimentRun: { experimentManifest } }) => {
        const found = stepManifest(experimentManifest, step.name);
        if (found === undefined)
          return <p className="hint">The manifest of this run has no template of this name.</p>;
        return (
          <>
            <p className="hint">{SETTINGS_WORDS[found.what]}</p>
            <pre className="text">{plainText(found.text)}</pre>
          </>
        );
      }}
    </StateView>
  );
}

const SETTINGS_WORDS = {
  engine:
    'The engine that this step creates; components.env has its settings, all others have the defaults of the ChaosExperiment.',
  template: 'The template of this step, which creates no engine.',
  manifest: 'The manifest of this run.',
} as const;

function StepLedger({
  run,
  step,
  selected,
}: {
  readonly run: ShownRun;
  readonly step: ExecutionNode;
  readonly selected: string | undefined;
}): ReactElement {
  const experiments = useMemo(
    () => (run.details ? (JSON.parse(run.details) as readonly ExperimentDetails[]) : undefined),
    [run.details],
  );
  const name = step.engine?.name ?? '';
  if (step.engine === undefined)
    return <p className="hint">This step creates no engine, so it has no ledger.</p>;
  if (experiments !== undefined)
    return <Ledger experiments={experiments.filter(({ engine }) => engine === name)} selected={selected} />;
  return (
    <>
      <p className="hint">
        This agent reports targets and their state only, without the times of injections and reverts.
      </p>
      <LocalTable
        name="step-targets"
        label="Targets"
        columns={TARGET_COLUMNS}
        rows={step.engine.targets}
        keyOf={({ kind, name: target }) => `${kind} ${target}`}
      />
    </>
  );
}

function Probes({ step }: { readonly step: ExecutionNode }): ReactElement {
  const probes = step.engine?.probes ?? [];
  if (probes.length === 0) return <p className="hint">This step has no probes.</p>;
  return <ProbeTable probes={probes} />;
}

const TARGET_COLUMNS: readonly Column<NonNullable<ExecutionNode['engine']>['targets'][number]>[] = [
  textColumn('target', 'Target', ({ kind, name }) => plainText(`${kind} ${name}`)),
  textColumn('state', 'State', ({ status }) => status),
];

/** Names of the pods of a step: its own, and those of its engine. */
function podsOf({ id, engine }: ExecutionNode): readonly string[] {
  return [id, engine?.experimentPod ?? '', engine?.runnerPod ?? ''];
}
