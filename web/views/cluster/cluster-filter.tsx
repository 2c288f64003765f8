import { type ReactElement, useRef } from 'react';
import { type ClusterAddress, SHOWN_KINDS } from '../../address/cluster.ts';
import { useKey } from '../keys/use-key.ts';
import '../list-parts.css';

const KINDS: Readonly<Record<ClusterAddress['kind'], string>> = {
  runs: 'Runs',
  all: 'All kinds',
  ChaosEngine: 'Engines',
  Workflow: 'Workflows',
  ChaosSchedule: 'Schedules',
  CronWorkflow: 'Cron workflows',
  ChaosResult: 'Results',
};
/** The filter of a list of the cluster. */
export function ClusterFilter({
  address,
  namespaces,
  change,
}: {
  readonly address: ClusterAddress;
  /** Existing namespaces. */
  readonly namespaces: readonly string[];
  change(changes: Partial<ClusterAddress>, how: 'push' | 'replace'): void;
}): ReactElement {
  const field = useRef<HTMLInputElement>(null);
  useKey('/', 'to the filter of the list', () => field.current?.focus());
  const choose = (changes: Partial<ClusterAddress>): void => change(changes, 'push');
  // The namespace of the link stays selected, even if it is empty now.
  const offered = [...new Set([...namespaces, address.namespace])].filter(Boolean);
  return (
    <div className="filter">
      <input
        ref={field}
        type="search"
        aria-label="Only with these words"
        placeholder="Name, namespace or fault"
        value={address.find}
        autoComplete="off"
        onChange={({ target }) => change({ find: target.value }, 'replace')}
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
    </div>
  );
}
