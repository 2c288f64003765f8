import { type ReactElement, useDeferredValue, useMemo } from 'react';
import { Link } from 'wouter';
import { CLUSTER_ADDRESS } from '../../address/cluster.ts';
import { comparePath } from '../../address/compare.ts';
import { clusterRunPath } from '../../address/routes.ts';
import { chosenObjects, namespacesOf, urgencyOf } from '../../models/run/cluster-list.ts';
import { previousObjects } from '../../models/run/previous-object.ts';
import { Notice } from '../../parts/panel/panel.tsx';
import { textColumn, whenColumn } from '../../parts/table/column-kinds.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { DataTable } from '../../parts/table/data-table.tsx';
import { StateNow } from '../../parts/verdict/state-now.tsx';
import { FilteredOut } from '../list-parts.tsx';
import { PageHead } from '../page-head.tsx';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { ClusterFilter } from './cluster-filter.tsx';
import type { ShownObject } from './generated/cluster.ts';
import { useClusterObjects } from './use-cluster.ts';

const ALL = { find: '', kind: 'all', namespace: '' } as const;

/** The chaos and the workflows of the cluster that the server watches, live. */
export function ClusterView(): ReactElement {
  const { view, connection } = useClusterObjects();
  return (
    <>
      <PageHead title="Cluster" connection={connection} />
      <StateView
        view={view}
        what="the cluster"
        empty={
          <Notice
            title="No chaos in this cluster"
            text="Run the quick start on this cluster in a terminal; it appears here at once: turnsole run examples/quickstart --kubeconfig FILE, with the file of this cluster."
          />
        }
      >
        {(objects) => <Objects objects={objects} />}
      </StateView>
    </>
  );
}

/** The objects that match the link. */
function Objects({ objects }: { readonly objects: readonly ShownObject[] }): ReactElement {
  const { state: address, change } = useAddress(CLUSTER_ADDRESS);
  const find = useDeferredValue(address.find);
  const { kind, namespace } = address;
  const chosen = useMemo(
    () => chosenObjects(objects, { kind, namespace, find }),
    [objects, kind, namespace, find],
  );
  const namespaces = useMemo(() => namespacesOf(objects), [objects]);
  const columns = useMemo(() => [...COLUMNS, compareColumn(objects)], [objects]);
  return (
    <>
      <ClusterFilter address={address} namespaces={namespaces} change={change} />
      {chosen.length === 0 ? (
        <FilteredOut what="object" hidden={objects.length} onClear={() => change(ALL, 'push')} />
      ) : (
        <>
          <DataTable
            name="cluster"
            label="Runs of the cluster"
            columns={columns}
            rows={chosen}
            keyOf={({ id }) => id}
            order={address.order}
            onOrder={(order) => change({ order }, 'push')}
          />
          <p className="facts">
            {chosen.length === objects.length
              ? `${objects.length} in all`
              : `${chosen.length} of ${objects.length}`}
          </p>
        </>
      )}
    </>
  );
}

const COLUMNS: readonly Column<ShownObject>[] = [
  {
    ...{ id: 'name', name: 'Name' },
    order: ({ name, namespace }) => `${name} ${namespace}`,
    cell: (object) => (
      <Link href={clusterRunPath(object)}>
        <bdi>
          {object.namespace}/{object.name}
        </bdi>
      </Link>
    ),
  },
  {
    ...{ id: 'state', name: 'State', order: urgencyOf },
    cell: (object) => <StateNow now={object} title={object.message ?? undefined} />,
  },
  textColumn('kind', 'Kind', ({ kind }) => kind),
  textColumn('faults', 'Faults', ({ faults }) => faults.join(', ')),
  whenColumn('made', 'Made', ({ createdAt }) => createdAt),
];

/** Links a run to a comparison with the previous one. */
function compareColumn(objects: readonly ShownObject[]): Column<ShownObject> {
  const before = previousObjects(objects);
  return {
    ...{ id: 'compare', name: 'Compare' },
    cell: (object) =>
      before(object) === undefined ? null : (
        <Link href={comparePath(undefined, { a: '', b: object.id })}>with the run before</Link>
      ),
  };
}
