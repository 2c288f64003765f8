import { type ReactElement, useDeferredValue, useEffect, useMemo } from 'react';
import { Link } from 'wouter';
import { CLUSTER_ADDRESS } from '../../address/cluster.ts';
import { clusterRunPath } from '../../address/routes.ts';
import { chosenObjects, namespacesOf } from '../../models/run/cluster-list.ts';
import { applyChange } from '../../models/run/objects.ts';
import { agoWords } from '../../models/words/duration.ts';
import { Live } from '../../parts/live/live.tsx';
import { Notice } from '../../parts/panel/panel.tsx';
import { Table } from '../../parts/table/table.tsx';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import { ListFoot } from '../list-parts.tsx';
import { PAGE_ROWS, pageOf } from '../pages.ts';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { useWatch } from '../use-watch.ts';
import './cluster.css';
import { ClusterFilter } from './cluster-filter.tsx';
import { CLUSTER_OBJECTS, type ShownObject } from './cluster-query.ts';

const NO_VARIABLES = {};
const ALL = { find: '', kind: 'all', namespace: '' } as const;
const HEADS = ['Name', 'State', 'Kind', 'Faults', 'Made'];

/** The chaos and the workflows of the cluster that the server looks at, live. */
export function ClusterView(): ReactElement {
  const { view, connection } = useWatch(
    CLUSTER_OBJECTS,
    NO_VARIABLES,
    (kept: readonly ShownObject[] | undefined, { watchClusterObjects }) =>
      applyChange(kept ?? [], watchClusterObjects),
    (objects) => objects.length === 0,
  );
  useEffect(() => {
    document.title = 'Cluster · Turnsole';
  }, []);
  return (
    <>
      <h1>
        Cluster{' '}
        <small className="title-note">
          <Live connection={connection} />
        </small>
      </h1>
      <StateView
        view={view}
        what="the cluster"
        empty={
          <Notice
            title="No chaos in this cluster"
            text="Run the quick start in a terminal; it appears here at once: turnsole run examples/quickstart"
          />
        }
      >
        {(objects) => <Objects objects={objects} />}
      </StateView>
    </>
  );
}

/** Those of the objects that the link means. */
function Objects({ objects }: { readonly objects: readonly ShownObject[] }): ReactElement {
  const { state: address, change } = useAddress(CLUSTER_ADDRESS);
  const find = useDeferredValue(address.find);
  const chosen = useMemo(() => chosenObjects(objects, { ...address, find }), [objects, address, find]);
  const namespaces = useMemo(() => namespacesOf(objects), [objects]);
  const page = Math.min(pageOf(address.page), Math.max(0, Math.ceil(chosen.length / PAGE_ROWS) - 1));
  return (
    <>
      <ClusterFilter address={address} namespaces={namespaces} change={change} />
      {chosen.length === 0 ? (
        <Notice
          title="Nothing in this cluster is like that"
          text={`It has ${objects.length} of other names, kinds or namespaces.`}
          action={{ label: 'Show all', do: () => change({ ...ALL, page: undefined }, 'push') }}
        />
      ) : (
        <>
          <Table label="Runs of the cluster" heads={HEADS}>
            {chosen.slice(page * PAGE_ROWS, (page + 1) * PAGE_ROWS).map((object) => (
              <Row key={object.id} object={object} />
            ))}
          </Table>
          <ListFoot
            page={page}
            total={chosen.length}
            onPage={(next) => change({ page: next === 0 ? undefined : next }, 'push')}
          />
        </>
      )}
    </>
  );
}

function Row({ object }: { readonly object: ShownObject }): ReactElement {
  const made = Number(object.createdAt);
  return (
    <tr>
      <th scope="row">
        <Link href={clusterRunPath(object)}>
          <bdi>
            {object.namespace}/{object.name}
          </bdi>
        </Link>
      </th>
      <td title={object.message ?? undefined}>
        <Verdict state={object.verdict || object.phase} />
      </td>
      <td>{object.kind}</td>
      <td>{object.faults.join(', ')}</td>
      <td title={new Date(made).toISOString()}>{agoWords(made, Date.now())}</td>
    </tr>
  );
}
