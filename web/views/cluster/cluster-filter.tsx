import type { ReactElement } from 'react';
import { type ClusterAddress, ORDERS, SHOWN_KINDS } from '../../address/cluster.ts';

const KINDS: Readonly<Record<ClusterAddress['kind'], string>> = {
  runs: 'Runs',
  all: 'All kinds',
  ChaosEngine: 'Engines',
  Workflow: 'Workflows',
  ChaosSchedule: 'Schedules',
  CronWorkflow: 'Cron workflows',
  ChaosResult: 'Results',
};
const ORDER_WORDS: Readonly<Record<ClusterAddress['order'], string>> = {
  newest: 'newest first',
  name: 'by name',
  state: 'failures first',
};

/** The fields that choose what a list of the cluster shows. */
export function ClusterFilter({
  address,
  namespaces,
  change,
}: {
  readonly address: ClusterAddress;
  /** Those that there are. */
  readonly namespaces: readonly string[];
  change(changes: Partial<ClusterAddress>, how: 'push' | 'replace'): void;
}): ReactElement {
  const choose = (changes: Partial<ClusterAddress>): void => change({ ...changes, page: undefined }, 'push');
  // A namespace of the link that has nothing now is still what is chosen.
  const offered = [...new Set([...namespaces, address.namespace])].filter(Boolean);
  return (
    <div className="filters">
      <input
        type="search"
        aria-label="Only with these words"
        placeholder="Name, namespace or fault"
        value={address.find}
        autoComplete="off"
        onChange={({ target }) => change({ find: target.value, page: undefined }, 'replace')}
      />
      <select
        aria-label="Kind"
        value={address.kind}
        onChange={({ target }) => choose({ kind: target.value as ClusterAddress['kind'] })}
      >
        {SHOWN_KINDS.map((kind) => (
          <option key={kind} value={kind}>
            {KINDS[kind]}
          </option>
        ))}
      </select>
      <select
        aria-label="Namespace"
        value={address.namespace}
        onChange={({ target }) => choose({ namespace: target.value })}
      >
        <option value="">All namespaces</option>
        {offered.map((namespace) => (
          <option key={namespace} value={namespace}>
            {namespace}
          </option>
        ))}
      </select>
      <select
        aria-label="Order"
        value={address.order}
        onChange={({ target }) => choose({ order: target.value as ClusterAddress['order'] })}
      >
        {ORDERS.map((order) => (
          <option key={order} value={order}>
            {ORDER_WORDS[order]}
          </option>
        ))}
      </select>
    </div>
  );
}
