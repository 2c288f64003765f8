import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { hubPath } from '../../address/routes.ts';
import { ask } from '../../api/client.ts';
import { agoWords } from '../../models/words/duration.ts';
import { Notice } from '../../parts/panel/panel.tsx';
import { Table } from '../../parts/table/table.tsx';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import { Act } from '../act.tsx';
import { StateView } from '../state-view.tsx';
import { useAsk } from '../use-ask.ts';
import { useTitle } from '../use-title.ts';
import { AddHub } from './add-hub.tsx';
import { DELETE_HUB, HUBS, type ListedHub, SYNC_HUB } from './hubs-query.ts';

const HEADS = ['Hub', 'State', 'Faults', 'Experiments', 'From', 'Read', 'Actions'];

/** Where a project has faults and experiments from. */
export function HubsView({ project }: { readonly project: string }): ReactElement {
  const view = useAsk(HUBS, { projectID: project }, ({ listChaosHub }) => listChaosHub.length === 0);
  useTitle('Hubs');
  return (
    <>
      <h1>Hubs</h1>
      <AddHub project={project} onDone={view.retry} />
      <StateView
        view={view}
        what="the hubs"
        empty={
          <Notice title="There is no hub" text="Add one above; its faults and experiments appear here." />
        }
      >
        {({ listChaosHub }) => (
          <Table label="Hubs" heads={HEADS}>
            {listChaosHub.map((hub) =>
              hub === null ? null : <Row key={hub.id} project={project} hub={hub} onDone={view.retry} />,
            )}
          </Table>
        )}
      </StateView>
    </>
  );
}

function Row({
  project,
  hub,
  onDone,
}: {
  readonly project: string;
  readonly hub: ListedHub;
  onDone(): void;
}): ReactElement {
  return (
    <tr>
      <th scope="row">
        <Link href={hubPath(project, hub.id)}>
          <bdi>{hub.name}</bdi>
        </Link>
      </th>
      <td>
        <HubState hub={hub} />
      </td>
      <td>{hub.totalFaults}</td>
      <td>{hub.totalExperiments}</td>
      <td>{hub.isDefault ? 'this server' : <bdi>{hub.repoURL}</bdi>}</td>
      <td>
        <Read at={Number(hub.lastSyncedAt)} />
      </td>
      <td>{hub.isDefault ? null : <Acts project={project} hub={hub} onDone={onDone} />}</td>
    </tr>
  );
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
      <Act label="Sync" name={`Sync ${name}`} run={() => ask(SYNC_HUB, { projectID, id })} onDone={onDone} />
      <Act
        label="Delete"
        name={`Delete ${name}`}
        question="Its faults can no longer be taken. Experiments that were made of them stay."
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
        <span className="hint"> {hub.lastError}</span>
      )}
    </>
  );
}

function Read({ at }: { readonly at: number }): ReactElement {
  if (!(at > 0)) return <>–</>;
  return <span title={new Date(at).toISOString()}>{agoWords(at, Date.now())}</span>;
}
