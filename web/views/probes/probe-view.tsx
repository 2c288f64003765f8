import '../form.css';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { projectTermsOf } from '../../../src/api/probe-types/index.ts';
import { listPath } from '../../address/routes.ts';
import { ask } from '../../api/client.ts';
import { foundWords } from '../../models/words/found.ts';
import { textColumn, whenColumn } from '../../parts/table/column-kinds.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { LocalTable } from '../../parts/table/local-table.tsx';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import { Form } from '../form.tsx';
import { StateView } from '../state-view.tsx';
import { TryProbe } from '../studio/try-probe.tsx';
import { useAsk } from '../use-ask.ts';
import { usePermissions } from '../use-permissions.ts';
import { useTitle } from '../use-title.ts';
import { UPDATE_PROBE } from './generated/probe-request.ts';
import { type Finding, PROBE, type ProbeQuery, type ShownProbe } from './generated/probes.ts';
import { ProbeFields } from './probe-form.tsx';
import { probeRequest } from './probe-request.ts';

/** A probe: its last results, and its form in experiments. */
export function ProbeView({
  project,
  probe,
}: {
  readonly project: string;
  readonly probe: string;
}): ReactElement {
  const view = useAsk(PROBE, { projectID: project, name: probe });
  const may = usePermissions(project);
  useTitle(`Probe ${probe}`);
  return (
    <>
      <p className="hint">
        <Link href={listPath(project, 'probes')}>Probes</Link>
      </p>
      <h1>
        <bdi>{probe}</bdi>
      </h1>
      <StateView view={view} what={`the probe ${probe}`}>
        {({ getProbe, getProbeYAML, getProbeReference }) => (
          <>
            <p className="hint">{projectTermsOf(getProbe.type).checks}</p>
            {may('updateProbe') ? <EditProbe project={project} probe={getProbe} onDone={view.retry} /> : null}
            <h2>Results</h2>
            <History content={getProbeReference} />
            <h2>As experiments have it</h2>
            <pre className="secret">{indented(getProbeYAML)}</pre>
          </>
        )}
      </StateView>
    </>
  );
}

/** Indents the YAML from the API, which is JSON in one line. */
function indented(json: string): string {
  return JSON.stringify(JSON.parse(json), undefined, 2);
}

/** A result in a fault of an experiment. */
type Found = Finding & { readonly fault: string };

function History({ content }: { readonly content: ProbeQuery['getProbeReference'] }): ReactElement {
  const rows = content.recentExecutions.flatMap((fault) =>
    (fault?.executionHistory ?? []).map((finding) => ({ fault: fault?.faultName ?? '', ...finding })),
  );
  if (rows.length === 0) return <p className="hint">No experiment has run with it yet.</p>;
  return (
    <LocalTable
      name="probe-history"
      label="Results"
      columns={HISTORY_COLUMNS}
      rows={rows}
      keyOf={({ fault, executedByExperiment: { experimentName, updatedAt } }) =>
        `${experimentName} ${fault} ${updatedAt}`
      }
    />
  );
}

const HISTORY_COLUMNS: readonly Column<Found>[] = [
  textColumn('experiment', 'Experiment', ({ executedByExperiment: by }) => by.experimentName),
  textColumn('fault', 'Fault', ({ fault }) => fault),
  textColumn('mode', 'When it checks', ({ mode }) => mode),
  {
    ...{ id: 'verdict', name: 'Verdict', order: ({ status }) => status.verdict },
    cell: ({ status }) => <Verdict state={status.verdict} />,
  },
  { id: 'found', name: 'Found', cell: ({ status }) => <bdi>{foundWords(status.description ?? '')}</bdi> },
  whenColumn('changed', 'Changed', ({ executedByExperiment: by }) => by.updatedAt),
];

/** Changes a probe; its name and type stay. */
function EditProbe({
  project: projectID,
  probe,
  onDone,
}: {
  readonly project: string;
  readonly probe: ShownProbe;
  onDone(): void;
}): ReactElement {
  const { type } = probe;
  return (
    <details>
      <summary>Edit</summary>
      <p className="hint">Experiments that name it run with what it is then.</p>
      <Form
        // Resets the form to the new values after a change.
        key={probe.updatedAt}
        submit="Save"
        run={(text) => ask(UPDATE_PROBE, { projectID, request: probeRequest(type, text, probe) })}
        onDone={onDone}
      >
        <ProbeFields type={type} probe={probe} />
        <TryProbe project={projectID} request={(text) => probeRequest(type, text, probe)} />
      </Form>
    </details>
  );
}
