import { type ReactElement, useDeferredValue } from 'react';
import { Link } from 'wouter';
import { projectTermsOf } from '../../../src/api/probe-types/index.ts';
import { LIST_ADDRESS } from '../../address/list.ts';
import { probePath } from '../../address/routes.ts';
import { ask } from '../../api/client.ts';
import { whoMay } from '../../models/access/may.ts';
import { knownData } from '../../models/view-state/view-state.ts';
import { plainText } from '../../models/words/plain.ts';
import { Notice } from '../../parts/panel/panel.tsx';
import { actsColumn, countColumn, textColumn, whenColumn } from '../../parts/table/column-kinds.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import { ActionButton } from '../action-button.tsx';
import { FilteredOut, ListTable, SearchField } from '../list-parts.tsx';
import { PageHead } from '../page-head.tsx';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { useAsk } from '../use-ask.ts';
import { RUNS_AND_EXPERIMENTS, useAskProject } from '../use-ask-project.ts';
import { usePermissions } from '../use-permissions.ts';
import { AddProbe } from './add-probe.tsx';
import { DELETE_PROBE, type ListedProbe, PROBES } from './generated/probes.ts';

/** The probes of a project. */
export function ProbesView({ project }: { readonly project: string }): ReactElement {
  const { state, change } = useAddress(LIST_ADDRESS);
  const name = useDeferredValue(state.find);
  const view = useAskProject(
    PROBES,
    { projectID: project, name },
    ['probe', ...RUNS_AND_EXPERIMENTS],
    ({ listProbes }) => listProbes.length === 0,
  );
  const may = usePermissions(project);
  return (
    <>
      <PageHead title="Probes" connection={view.connection} />
      {may('addProbe') ? <AddProbe project={project} onDone={view.retry} /> : null}
      <SearchField value={state.find} onChange={(find) => change({ find }, 'replace')} />
      <StateView
        view={view}
        what="the probes"
        empty={
          name === '' ? (
            <Notice
              title="No probes yet"
              text={
                may('addProbe')
                  ? 'Create one above; experiments name it to have it checked.'
                  : `${whoMay('addProbe')} of the project can make one; experiments name it to have it checked.`
              }
            />
          ) : (
            <Hidden project={project} onClear={() => change({ find: '' }, 'push')} />
          )
        }
      >
        {({ listProbes }) => (
          <ListTable
            name="probes"
            label="Probes"
            columns={[...columnsOf(project), may('deleteProbe') && deletion(project, view.retry)]}
            rows={listProbes}
            keyOf={({ name: key }) => key}
          />
        )}
      </StateView>
    </>
  );
}

function Hidden({ project, onClear }: { readonly project: string; onClear(): void }): ReactElement {
  const all = useAsk(PROBES, { projectID: project, name: '' });
  const hidden = knownData(all)?.listProbes.length;
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
    textColumn('checks', 'Checks', ({ type }) => projectTermsOf(type).checks),
    countColumn('used', 'Used by', ({ referencedBy }) => referencedBy ?? 0),
    {
      ...{ id: 'verdict', name: 'Last verdict', order: (probe) => lastVerdict(probe) ?? '' },
      cell: (probe) => {
        const verdict = lastVerdict(probe);
        return verdict === undefined ? '–' : <Verdict state={verdict} />;
      },
    },
    whenColumn('changed', 'Changed', ({ updatedAt }) => updatedAt),
  ];
}

function lastVerdict({ recentExecutions }: ListedProbe): string | undefined {
  return recentExecutions?.[0]?.status.verdict;
}

function deletion(projectID: string, onDone: () => void): Column<ListedProbe> {
  return actsColumn(({ name }) => (
    <ActionButton
      label="Delete"
      name={`Delete ${name}`}
      question="Experiments that name it can no longer be run with it."
      run={() => ask(DELETE_PROBE, { projectID, name })}
      onDone={onDone}
    />
  ));
}
