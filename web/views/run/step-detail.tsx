import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { RunAddress } from '../../address/run.ts';
import { ask } from '../../api/client.ts';
import type { ExecutionNode } from '../../models/run/execution.ts';
import { plainLog, plainText } from '../../models/words/plain.ts';
import { Notice, Panel } from '../../parts/panel/panel.tsx';
import { Table } from '../../parts/table/table.tsx';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import { POD_LOG, type ShownRun } from './run-query.ts';

const PANES = { probes: 'Probes', logs: 'Log', object: 'Object' } as const;

const HEADS = ['Probe', 'Type', 'Mode', 'Verdict', 'What was found'];

/** What is known of the selected step. */
export function StepDetail({
  step,
  run,
  address,
  change,
}: {
  readonly step: ExecutionNode | undefined;
  readonly run: ShownRun;
  readonly address: RunAddress;
  change(changes: Partial<RunAddress>, how: 'push' | 'replace'): void;
}): ReactElement {
  if (step === undefined)
    return <p className="hint">Select a step to see its probes, its log and its report.</p>;
  return (
    <section className="detail" aria-label={`Step ${step.name}`}>
      <h2>
        <bdi>{plainText(step.name)}</bdi> <Verdict state={step.engine?.verdict || step.phase} />
      </h2>
      {step.message === '' ? null : <p>{plainText(step.message)}</p>}
      {step.engine === undefined || step.engine.failStep === '' ? null : (
        <p>{plainText(step.engine.failStep)}</p>
      )}
      <fieldset className="tabs" aria-label="What is shown of the step">
        {Object.entries(PANES).map(([pane, name]) => (
          <button
            key={pane}
            type="button"
            aria-pressed={address.pane === pane}
            onClick={() => change({ pane: pane as RunAddress['pane'] }, 'push')}
          >
            {name}
          </button>
        ))}
      </fieldset>
      <Panel key={`${step.id} ${address.pane}`} name={PANES[address.pane]}>
        {address.pane === 'probes' ? <Probes step={step} /> : null}
        {address.pane === 'logs' ? <Log step={step} run={run} /> : null}
        {address.pane === 'object' ? <pre className="text">{JSON.stringify(step, null, 2)}</pre> : null}
      </Panel>
    </section>
  );
}

function Probes({ step }: { readonly step: ExecutionNode }): ReactElement {
  const probes = step.engine?.probes ?? [];
  if (probes.length === 0) return <p className="hint">This step has no probes.</p>;
  return (
    <Table label="Probes" heads={HEADS}>
      {probes.map(({ name, type, mode, verdict, description }) => (
        <tr key={`${name} ${mode}`}>
          <th scope="row">
            <bdi>{plainText(name)}</bdi>
          </th>
          <td>{type}</td>
          <td>{mode}</td>
          <td>
            <Verdict state={verdict} />
          </td>
          <td>{plainText(description)}</td>
        </tr>
      ))}
    </Table>
  );
}

function Log({ step, run }: { readonly step: ExecutionNode; readonly run: ShownRun }): ReactElement {
  const { engine } = step;
  const request = {
    infraID: run.infra.infraID,
    experimentRunID: run.experimentRunID,
    podName: step.id,
    podNamespace: engine?.namespace ?? '',
    podType: step.type === 'ChaosEngine' ? 'chaosengine' : 'pod',
    expPod: engine?.experimentPod ?? '',
    runnerPod: engine?.runnerPod ?? '',
    chaosNamespace: engine?.namespace ?? '',
  };
  const query = useQuery({
    queryKey: ['log', request],
    queryFn: ({ signal }) => ask(POD_LOG, { request }, signal),
    enabled: run.infra.isActive,
  });
  if (!run.infra.isActive) {
    return (
      <Notice
        title="No log"
        text={`The agent of ${run.infra.name} is not connected, and logs are read from its cluster.`}
      />
    );
  }
  if (query.error !== null) {
    const again = { label: 'Try again', do: () => void query.refetch() };
    return <Notice title="Cannot read the log" text={query.error.message} action={again} />;
  }
  if (query.data === undefined) return <div className="waiting" role="status" aria-label="Loading the log" />;
  return <pre className="text">{plainLog(query.data.getPodLog.log)}</pre>;
}
