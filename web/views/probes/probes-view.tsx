import { type ReactElement, useDeferredValue } from 'react';
import { Link } from 'wouter';
import { LIST_ADDRESS } from '../../address/list.ts';
import { probePath } from '../../address/routes.ts';
import { ask } from '../../api/client.ts';
import { whoMay } from '../../models/access/may.ts';
import { plainText } from '../../models/words/plain.ts';
import { Live } from '../../parts/live/live.tsx';
import { Notice } from '../../parts/panel/panel.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { DataTable } from '../../parts/table/data-table.tsx';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import { When } from '../../parts/when/when.tsx';
import { Act } from '../act.tsx';
import { changesOf, PROJECT_CHANGES } from '../changes-query.ts';
import { FilteredOut, orderOf, SearchField } from '../list-parts.tsx';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { useAsk } from '../use-ask.ts';
import { useFollow } from '../use-follow.ts';
import { useMay } from '../use-may.ts';
import { useTitle } from '../use-title.ts';
import { AddProbe } from './add-probe.tsx';
import { PROBE_KINDS } from './probe-kinds.ts';
import { DELETE_PROBE, type ListedProbe, PROBES } from './probes-query.ts';

const changesProbes = changesOf('probe', 'run', 'experiment');

/** The probes of a project. */
export function ProbesView({ project }: { readonly project: string }): ReactElement {
  const { state, change } = useAddress(LIST_ADDRESS);
  const name = useDeferredValue(state.find);
  const view = useAsk(PROBES, { projectID: project, name }, ({ listProbes }) => listProbes.length === 0);
  const connection = useFollow(
    { document: PROBES, variables: { projectID: project, name } },
    { document: PROJECT_CHANGES, variables: { projectID: project } },
    changesProbes,
  );
  const may = useMay(project);
  useTitle('Probes');
  return (
    <>
      <div className="page-head">
        <h1>Probes</h1>
        <Live connection={connection} />
      </div>
      {may('addProbe') ? <AddProbe project={project} onDone={view.retry} /> : null}
      <SearchField value={state.find} onChange={(find) => change({ find }, 'replace')} />
      <StateView
        view={view}
        what="the probes"
        empty={
          name === '' ? (
            <Notice
              title="There is no probe"
              text={
                may('addProbe')
                  ? 'Make one above; experiments name it to have it checked.'
                  : `${whoMay('addProbe')} of the project can make one; experiments name it to have it checked.`
              }
            />
          ) : (
            <Hidden project={project} onClear={() => change({ find: '' }, 'push')} />
          )
        }
      >
        {({ listProbes }) => (
          <DataTable
            name="probes"
            label="Probes"
            columns={
              may('deleteProbe')
                ? [...columnsOf(project), actsColumn(project, view.retry)]
                : columnsOf(project)
            }
            rows={listProbes.filter((probe) => probe !== null)}
            keyOf={({ name: key }) => key}
            {...orderOf(state.order, change)}
          />
        )}
      </StateView>
    </>
  );
}

function Hidden({ project, onClear }: { readonly project: string; onClear(): void }): ReactElement {
  const all = useAsk(PROBES, { projectID: project, name: '' }, () => false);
  const hidden = all.state === 'shown' ? all.data.listProbes.length : undefined;
  return <FilteredOut what="probe" hidden={hidden} onClear={onClear} />;
}

function columnsOf(project: string): readonly Column<ListedProbe>[] {
  return [
    {
      ...{ id: 'name', name: 'Probe', order: ({ name }) => name },
      cell: ({ name, description }) => (
        <Link href={probePath(project, name)} title={plainText(description ?? '') || undefined}>
          <bdi>{name}</bdi>
        </Link>
      ),
    },
    {
      ...{ id: 'checks', name: 'Checks', order: ({ type }) => PROBE_KINDS[type] },
      cell: ({ type }) => PROBE_KINDS[type],
    },
    {
      ...{ id: 'used', name: 'Used by', isNumber: true, order: ({ referencedBy }) => referencedBy ?? 0 },
      cell: ({ referencedBy }) => referencedBy ?? 0,
    },
    {
      ...{ id: 'verdict', name: 'Last verdict', order: (probe) => lastVerdict(probe) ?? '' },
      cell: (probe) => {
        const verdict = lastVerdict(probe);
        return verdict === undefined ? '–' : <Verdict state={verdict} />;
      },
    },
    {
      ...{ id: 'changed', name: 'Changed', order: ({ updatedAt }) => Number(updatedAt) },
      cell: ({ updatedAt }) => <When ms={Number(updatedAt)} />,
    },
  ];
}

function lastVerdict({ recentExecutions }: ListedProbe): string | undefined {
  return recentExecutions?.[0]?.status.verdict;
}

function actsColumn(projectID: string, onDone: () => void): Column<ListedProbe> {
  return {
    ...{ id: 'acts', name: 'Actions' },
    cell: ({ name }) => (
      <Act
        label="Delete"
        name={`Delete ${name}`}
        question="Experiments that name it can no longer be run with it."
        run={() => ask(DELETE_PROBE, { projectID, name })}
        onDone={onDone}
      />
    ),
  };
}
