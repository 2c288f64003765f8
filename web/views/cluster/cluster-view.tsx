import { type ReactElement, useEffect } from 'react';
import { Link } from 'wouter';
import { clusterRunPath } from '../../address/routes.ts';
import { applyChange } from '../../models/run/objects.ts';
import { agoWords } from '../../models/words/duration.ts';
import { Live } from '../../parts/live/live.tsx';
import { Notice } from '../../parts/panel/panel.tsx';
import { Table } from '../../parts/table/table.tsx';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import { StateView } from '../state-view.tsx';
import { useWatch } from '../use-watch.ts';
import { CLUSTER_OBJECTS, type ShownObject } from './cluster-query.ts';

const NO_VARIABLES = {};
const HEADS = ['Run', 'Kind', 'State', 'Faults', 'Made'];

/** The engines and workflows of the cluster that the server looks at, live. */
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
        {(objects) => (
          <Table label="Runs of the cluster" heads={HEADS}>
            {objects.map((object) => (
              <Row key={object.id} object={object} />
            ))}
          </Table>
        )}
      </StateView>
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
      <td>{object.kind}</td>
      <td title={object.message ?? undefined}>
        <Verdict state={object.verdict || object.phase} />
      </td>
      <td>{object.faults.join(', ')}</td>
      <td title={new Date(made).toISOString()}>{agoWords(made, Date.now())}</td>
    </tr>
  );
}
