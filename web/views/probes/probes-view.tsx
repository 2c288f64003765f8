import { type ReactElement, useDeferredValue } from 'react';
import { Link } from 'wouter';
import { LIST_ADDRESS } from '../../address/list.ts';
import { probePath } from '../../address/routes.ts';
import { ask } from '../../api/client.ts';
import { agoWords } from '../../models/words/duration.ts';
import { Notice } from '../../parts/panel/panel.tsx';
import { Table } from '../../parts/table/table.tsx';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import { Act } from '../act.tsx';
import { SearchField } from '../list-parts.tsx';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { useAsk } from '../use-ask.ts';
import { useTitle } from '../use-title.ts';
import { AddProbe } from './add-probe.tsx';
import { PROBE_KINDS } from './probe-kinds.ts';
import { DELETE_PROBE, type ListedProbe, PROBES } from './probes-query.ts';

const HEADS = ['Probe', 'Checks', 'Used by', 'Last verdict', 'Changed', 'Actions'];

/** What a project checks while chaos is in force. */
export function ProbesView({ project }: { readonly project: string }): ReactElement {
  const { state, change } = useAddress(LIST_ADDRESS);
  const name = useDeferredValue(state.find);
  const view = useAsk(PROBES, { projectID: project, name }, ({ listProbes }) => listProbes.length === 0);
  useTitle('Probes');
  return (
    <>
      <h1>Probes</h1>
      <AddProbe project={project} onDone={view.retry} />
      <SearchField value={state.find} onChange={(find) => change({ find }, 'replace')} />
      <StateView
        view={view}
        what="the probes"
        empty={
          <Notice
            title={name === '' ? 'There is no probe' : `No probe has "${name}" in its name`}
            text="Make one above; experiments name it to have it checked."
          />
        }
      >
        {({ listProbes }) => (
          <Table label="Probes" heads={HEADS}>
            {listProbes.map((probe) =>
              probe === null ? null : (
                <Row key={probe.name} project={project} probe={probe} onDone={view.retry} />
              ),
            )}
          </Table>
        )}
      </StateView>
    </>
  );
}

function Row({
  project: projectID,
  probe: { name, description, type, referencedBy, recentExecutions, updatedAt },
  onDone,
}: {
  readonly project: string;
  readonly probe: ListedProbe;
  onDone(): void;
}): ReactElement {
  const [latest] = recentExecutions ?? [];
  const changed = Number(updatedAt);
  return (
    <tr>
      <th scope="row" title={description ?? undefined}>
        <Link href={probePath(projectID, name)}>
          <bdi>{name}</bdi>
        </Link>
      </th>
      <td>{PROBE_KINDS[type]}</td>
      <td>{referencedBy ?? 0}</td>
      <td>{latest === undefined ? '–' : <Verdict state={latest.status.verdict} />}</td>
      <td title={new Date(changed).toISOString()}>{agoWords(changed, Date.now())}</td>
      <td>
        <Act
          label="Delete"
          name={`Delete ${name}`}
          question="Experiments that name it can no longer be run with it."
          run={() => ask(DELETE_PROBE, { projectID, name })}
          onDone={onDone}
        />
      </td>
    </tr>
  );
}
