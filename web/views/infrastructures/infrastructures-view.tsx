import { type ReactElement, useDeferredValue, useState } from 'react';
import { Link } from 'wouter';
import { LIST_ADDRESS } from '../../address/list.ts';
import { listPath } from '../../address/routes.ts';
import { ask } from '../../api/client.ts';
import { whoMay } from '../../models/access/may.ts';
import { knownData } from '../../models/view-state/view-state.ts';
import { Button } from '../../parts/button/button.tsx';
import { Notice } from '../../parts/panel/panel.tsx';
import { actsColumn, textColumn, whenColumn } from '../../parts/table/column-kinds.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { DataTable } from '../../parts/table/data-table.tsx';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import { ActionButton } from '../action-button.tsx';
import { FilteredOut, ListFoot, orderOf, SearchField } from '../list-parts.tsx';
import { PageHead } from '../page-head.tsx';
import { PAGE_ROWS, pageOf } from '../pages.ts';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { useAsk } from '../use-ask.ts';
import { useAskProject } from '../use-ask-project.ts';
import { usePermissions } from '../use-permissions.ts';
import { Connect } from './connect.tsx';
import './metrics.css';
import { DISCONNECT, INFRA_COUNT, INFRASTRUCTURES, type ListedInfra } from './generated/infrastructures.ts';
import { Metrics } from './metrics.tsx';
import { NewKey, type ReplacedKey, ReplaceKey } from './replace-key.tsx';

/** The infrastructures of a project. */
export function InfrastructuresView({ project }: { readonly project: string }): ReactElement {
  const { state, change } = useAddress(LIST_ADDRESS);
  const name = useDeferredValue(state.find);
  const page = pageOf(state.page);
  const variables = { projectID: project, page, limit: PAGE_ROWS, name };
  const view = useAskProject(
    INFRASTRUCTURES,
    variables,
    ['infra'],
    ({ listInfras }) => listInfras.totalNoOfInfras === 0,
  );
  const may = usePermissions(project);
  /** The infrastructure whose metrics are shown. */
  const [chosen, setChosen] = useState<string>();
  const [replaced, setReplaced] = useState<ReplacedKey>();
  return (
    <>
      <PageHead title="Infrastructures" connection={view.connection} />
      {may('registerInfra') ? <Connect project={project} onDone={view.retry} /> : null}
      <SearchField value={state.find} onChange={(find) => change({ find, page: undefined }, 'replace')} />
      <StateView
        view={view}
        what="the infrastructures"
        empty={
          name === '' ? (
            <Notice
              title="No cluster is connected"
              text={
                may('registerInfra')
                  ? 'Register one above and apply its manifest there; its state appears here.'
                  : `${whoMay('registerInfra')} of the project can connect one; its state appears here.`
              }
            />
          ) : (
            <Hidden project={project} onClear={() => change({ find: '', page: undefined }, 'push')} />
          )
        }
      >
        {({ listInfras: { infras, totalNoOfInfras } }) => (
          <>
            <DataTable
              name="infrastructures"
              label="Infrastructures"
              columns={[
                ...columnsOf(project, setChosen),
                may('deleteInfra') &&
                  acts(project, may('rotateInfraKey') ? setReplaced : undefined, view.retry),
              ]}
              rows={infras.filter((infra) => infra !== null)}
              keyOf={({ infraID }) => infraID}
              {...orderOf(state.order, change)}
            />
            {replaced === undefined ? null : (
              <NewKey replaced={replaced} onClose={() => setReplaced(undefined)} />
            )}
            {infras
              .filter((infra) => infra !== null)
              .filter(({ infraID }) => infraID === chosen)
              .map((infra) => (
                <Metrics
                  key={infra.infraID}
                  project={project}
                  infra={infra}
                  onDone={() => {
                    setChosen(undefined);
                    view.retry();
                  }}
                />
              ))}
            <ListFoot page={state.page} total={totalNoOfInfras} change={change} />
          </>
        )}
      </StateView>
    </>
  );
}

function stateOf({ isActive, isInfraConfirmed }: ListedInfra): string {
  return isActive ? 'Connected' : isInfraConfirmed ? 'Disconnected' : 'Pending';
}

function metricsOf({ metrics }: ListedInfra): string {
  return metrics ? 'of a Prometheus' : 'none';
}

function Hidden({ project, onClear }: { readonly project: string; onClear(): void }): ReactElement {
  const all = useAsk(INFRA_COUNT, { projectID: project });
  const hidden = knownData(all)?.listInfras.totalNoOfInfras;
  return <FilteredOut what="infrastructure" hidden={hidden} onClear={onClear} />;
}

function columnsOf(project: string, onMetrics: (infra: string) => void): readonly Column<ListedInfra>[] {
  return [
    textColumn('name', 'Infrastructure', ({ name }) => name),
    { id: 'state', name: 'State', order: stateOf, cell: (infra) => <Verdict state={stateOf(infra)} /> },
    {
      id: 'reaches',
      name: 'Reaches',
      order: ({ infraScope }) => infraScope,
      cell: ({ infraScope }) => (infraScope === 'cluster' ? 'the whole cluster' : 'its namespace'),
    },
    textColumn('environment', 'Environment', ({ environmentID }) => environmentID),
    {
      id: 'runs',
      name: 'Runs',
      isNumber: true,
      order: ({ noOfExperimentRuns }) => noOfExperimentRuns ?? 0,
      cell: ({ noOfExperimentRuns, infraID }) => (
        <Link href={`${listPath(project, 'runs')}?${new URLSearchParams({ infra: infraID, v: '1' })}`}>
          {noOfExperimentRuns ?? 0}
        </Link>
      ),
    },
    {
      id: 'metrics',
      name: 'Metrics',
      order: metricsOf,
      cell: (infra) => (
        <Button
          look="act"
          label={metricsOf(infra)}
          name={`Metrics of ${infra.name}: ${metricsOf(infra)}`}
          onClick={() => onMetrics(infra.infraID)}
        />
      ),
    },
    textColumn('agent', 'Agent', ({ version }) => version),
    whenColumn('changed', 'Changed', ({ updatedAt }) => updatedAt),
  ];
}

/** @param onReplaced undefined where the reader may not replace keys */
function acts(
  projectID: string,
  onReplaced: ((replaced: ReplacedKey) => void) | undefined,
  onDone: () => void,
): Column<ListedInfra> {
  return actsColumn((infra) => (
    <>
      {onReplaced === undefined ? null : <ReplaceKey project={projectID} infra={infra} onDone={onReplaced} />}
      <ActionButton
        label="Disconnect"
        name={`Disconnect ${infra.name}`}
        question="Its agent removes itself from the cluster. Its experiments can no longer run; their runs stay."
        run={() => ask(DISCONNECT, { projectID, infraID: infra.infraID })}
        onDone={onDone}
      />
    </>
  ));
}
