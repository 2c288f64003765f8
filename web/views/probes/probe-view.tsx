import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { listPath } from '../../address/routes.ts';
import { agoWords } from '../../models/words/duration.ts';
import { Table } from '../../parts/table/table.tsx';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import { StateView } from '../state-view.tsx';
import { useAsk } from '../use-ask.ts';
import { useTitle } from '../use-title.ts';
import { EditProbe } from './edit-probe.tsx';
import { PROBE_KINDS } from './probe-kinds.ts';
import { PROBE, type ProbeContent } from './probes-query.ts';
import '../form.css';

const HEADS = ['Experiment', 'Fault', 'When it checks', 'Verdict', 'Found', 'Changed'];

/** A probe: what it found the last times, and how experiments have it. */
export function ProbeView({
  project,
  probe,
}: {
  readonly project: string;
  readonly probe: string;
}): ReactElement {
  const view = useAsk(PROBE, { projectID: project, name: probe }, () => false);
  useTitle(`Probe ${probe}`);
  return (
    <>
      <p className="hint">
        <Link href={listPath(project, 'probes')}>Probes</Link>
      </p>
      <h1>
        <bdi>{probe}</bdi>
      </h1>
      <StateView view={view} what={`the probe ${probe}`} empty={null}>
        {({ getProbe, getProbeYAML, getProbeReference }) => (
          <>
            <p className="hint">{PROBE_KINDS[getProbe.type]}</p>
            <EditProbe project={project} probe={getProbe} onDone={view.retry} />
            <h2>What it found</h2>
            <History content={getProbeReference} />
            <h2>As experiments have it</h2>
            <pre className="secret">{indented(getProbeYAML)}</pre>
          </>
        )}
      </StateView>
    </>
  );
}

/** The API gives the YAML as JSON, which is YAML as well, in one line. */
function indented(json: string): string {
  return JSON.stringify(JSON.parse(json), undefined, 2);
}

function History({ content }: { readonly content: ProbeContent['getProbeReference'] }): ReactElement {
  const rows = content.recentExecutions.flatMap((fault) =>
    (fault?.executionHistory ?? []).map((finding) => ({ fault: fault?.faultName ?? '', ...finding })),
  );
  if (rows.length === 0) return <p className="hint">No experiment has run with it yet.</p>;
  return (
    <Table label="What it found" heads={HEADS}>
      {rows.map(({ fault, mode, status, executedByExperiment: { experimentName, updatedAt } }) => (
        <tr key={`${experimentName} ${fault} ${updatedAt}`}>
          <th scope="row">
            <bdi>{experimentName}</bdi>
          </th>
          <td>{fault}</td>
          <td>{mode}</td>
          <td>
            <Verdict state={status.verdict} />
          </td>
          <td>
            <bdi>{status.description}</bdi>
          </td>
          <td title={new Date(updatedAt).toISOString()}>{agoWords(updatedAt, Date.now())}</td>
        </tr>
      ))}
    </Table>
  );
}
