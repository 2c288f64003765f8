import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { hubPath } from '../../address/routes.ts';
import { ask } from '../../api/client.ts';
import { whoMay } from '../../models/access/may.ts';
import { Notice } from '../../parts/panel/panel.tsx';
import { actsColumn, countColumn, whenColumn } from '../../parts/table/column-kinds.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import { ActionButton } from '../action-button.tsx';
import { ListTable } from '../list-parts.tsx';
import { PageHead } from '../page-head.tsx';
import { StateView } from '../state-view.tsx';
import { useAskProject } from '../use-ask-project.ts';
import { usePermissions } from '../use-permissions.ts';
import { AddHub } from './add-hub.tsx';
import { DELETE_HUB, HUBS, type ListedHub, SYNC_HUB } from './generated/hubs.ts';

/** The hubs of a project. */
export function HubsView({ project }: { readonly project: string }): ReactElement {
  const view = useAskProject(
    HUBS,
    { projectID: project },
    ['hub'],
    ({ listChaosHub }) => listChaosHub.length === 0,
  );
  const may = usePermissions(project);
  return (
    <>
      <PageHead title="Hubs" connection={view.connection} />
      {may('addChaosHub') ? <AddHub project={project} onDone={view.retry} /> : null}
      <StateView
        view={view}
        what="the hubs"
        empty={
          <Notice
            title="No hubs yet"
            text={
              may('addChaosHub')
                ? 'Add one above; its faults and experiments appear here.'
                : `${whoMay('addChaosHub')} of the project can add one; its faults and experiments appear here.`
            }
          />
        }
      >
        {({ listChaosHub }) => (
          <ListTable
            name="hubs"
            label="Hubs"
            columns={[...columnsOf(project), may('deleteChaosHub') && actsOf(project, view.retry)]}
            rows={listChaosHub}
            keyOf={({ id }) => id}
          />
        )}
      </StateView>
    </>
  );
}

function columnsOf(project: string): readonly Column<ListedHub>[] {
  return [
    {
      id: 'name',
      name: 'Hub',
      order: ({ name }) => name,
      cell: ({ id, name }) => (
        <Link href={hubPath(project, id)}>
          <bdi>{name}</bdi>
        </Link>
      ),
    },
    { id: 'state', name: 'State', cell: (hub) => <HubState hub={hub} /> },
    countColumn('faults', 'Faults', ({ totalFaults }) => Number(totalFaults)),
    countColumn('experiments', 'Experiments', ({ totalExperiments }) => Number(totalExperiments)),
    {
      id: 'from',
      name: 'From',
      order: ({ repoURL }) => repoURL,
      cell: ({ isDefault, repoURL }) => (isDefault ? 'this server' : <bdi>{repoURL}</bdi>),
    },
    whenColumn('read', 'Read', ({ lastSyncedAt }) => lastSyncedAt),
  ];
}

function actsOf(project: string, onDone: () => void): Column<ListedHub> {
  return actsColumn((hub) => (hub.isDefault ? null : <Acts project={project} hub={hub} onDone={onDone} />));
}

function Acts({
  project: projectID,
  hub: { id, name },
  onDone,
}: {
  readonly project: string;
  readonly hub: ListedHub;
  onDone(): void;
}): ReactElement {
  return (
    <>
      <ActionButton
        label="Sync"
        name={`Sync ${name}`}
        run={() => ask(SYNC_HUB, { projectID, id })}
        onDone={onDone}
      />
      <ActionButton
        label="Delete"
        name={`Delete ${name}`}
        question="Its faults are no longer available. Experiments with them stay."
        run={() => ask(DELETE_HUB, { projectID, id })}
        onDone={onDone}
      />
    </>
  );
}

/** Whether a hub can be read, and why not. */
function HubState({ hub }: { readonly hub: ListedHub }): ReactElement {
  return (
    <>
      <Verdict state={hub.isAvailable ? 'Connected' : 'Disconnected'} />
      {hub.lastError === null || hub.lastError === undefined ? null : (
        <span className="hint">
          {' '}
          <bdi>{hub.lastError}</bdi>
        </span>
      )}
    </>
  );
}
