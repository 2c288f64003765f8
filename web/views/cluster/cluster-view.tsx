import { type ReactElement, useDeferredValue, useMemo } from 'react';
import { Link } from 'wouter';
import { CLUSTER_ADDRESS, type ClusterAddress } from '../../address/cluster.ts';
import { comparePath } from '../../address/compare.ts';
import { runPath } from '../../address/routes.ts';
import { chosenObjects, urgencyOf } from '../../models/run/cluster-list.ts';
import { previousObjects } from '../../models/run/previous-object.ts';
import { Button } from '../../parts/button/button.tsx';
import { textColumn, whenColumn } from '../../parts/table/column-kinds.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { DataTable } from '../../parts/table/data-table.tsx';
import { StateNow } from '../../parts/verdict/state-now.tsx';
import { useShownProject } from '../frame/use-projects.ts';
import { FilteredOut } from '../list-parts.tsx';
import { PageHead } from '../page-head.tsx';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { ClusterFilter } from './cluster-filter.tsx';
import type { ShownObject } from './generated/cluster.ts';
import { NoChaos } from './no-chaos.tsx';
import { type ClusterObjects, useClusterObjects } from './use-cluster.ts';

const ALL = { find: '', kind: 'all', namespace: '' } as const;

/** The chaos and the workflows of the cluster that the server watches, live. */
export function ClusterView(): ReactElement {
  const { state: address } = useAddress(CLUSTER_ADDRESS);
  const { view, connection } = useClusterObjects(isOfNewest(address) ? FIRST_ROWS : undefined);
  return (
    <>
      <PageHead title="Cluster" connection={connection} />
      <StateView view={view} what="the cluster" empty={<NoChaos />}>
        {(listed) => <Objects {...listed} />}
      </StateView>
    </>
  );
}

/** Rows that are asked for at first: more than any window shows. */
const FIRST_ROWS = 60;

/** Whether the newest rows are all that the link asks for. */
function isOfNewest({ find, kind, namespace, order, rows }: ClusterAddress): boolean {
  return rows === 'newest' && find === '' && kind === 'runs' && namespace === '' && order === undefined;
}

/** The objects that match the link. */
function Objects({ objects, total, namespaces }: ClusterObjects): ReactElement {
  const { state: address, change } = useAddress(CLUSTER_ADDRESS);
  const find = useDeferredValue(address.find);
  const { kind, namespace } = address;
  const chosen = useMemo(
    () => chosenObjects(objects, { kind, namespace, find }),
    [objects, kind, namespace, find],
  );
  // What is of another kind is not of this list.
  const ofKind = useMemo(() => chosenObjects(objects, { ...ALL, kind }).length, [objects, kind]);
  const project = useShownProject(undefined) ?? '';
  const columns = useMemo(() => [...columnsOf(project), compareColumn(project, objects)], [project, objects]);
  return (
    <>
      <ClusterFilter address={address} namespaces={namespaces} change={change} />
      {chosen.length === 0 && objects.length < total ? (
        <div className="waiting" role="status" aria-label="Loading the other rows" />
      ) : chosen.length === 0 ? (
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
            {objects.length < total
              ? `The newest of ${total}`
              : chosen.length === ofKind
                ? `${ofKind} in all`
                : `${chosen.length} of ${ofKind}`}
            {objects.length < total && isOfNewest(address) ? (
              <Button look="link" label="Show all" onClick={() => change({ rows: 'all' }, 'push')} />
            ) : null}
          </p>
        </>
      )}
    </>
  );
}

const columnsOf = (project: string): readonly Column<ShownObject>[] => [
  {
    ...{ id: 'name', name: 'Name' },
    order: ({ name, namespace }) => `${name} ${namespace}`,
    cell: (object) => (
      <Link href={runPath(project, object.id)}>
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
function compareColumn(project: string, objects: readonly ShownObject[]): Column<ShownObject> {
  const before = previousObjects(objects);
  return {
    ...{ id: 'compare', name: 'Compare' },
    cell: (object) =>
      before(object) === undefined ? null : (
        <Link href={comparePath(project, { a: '', b: object.id })}>with the run before</Link>
      ),
  };
}
