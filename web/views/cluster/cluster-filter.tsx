import { type ReactElement, useRef } from 'react';
import { type ClusterAddress, SHOWN_KINDS } from '../../address/cluster.ts';
import { Options } from '../../parts/options/options.tsx';
import { useKey } from '../keys/use-key.ts';
import { FilterChoice } from '../list-parts.tsx';

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
        <Options choices={SHOWN_KINDS.map((one) => [one, KINDS[one]])} />
      </select>
      <FilterChoice
        label="Namespace"
        all="All namespaces"
        value={address.namespace}
        choices={namespaces.map((one) => [one, one])}
        onChange={(namespace) => choose({ namespace })}
      />
    </div>
  );
}
