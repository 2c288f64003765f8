import type { ReactElement } from 'react';
import type { RunAddress } from '../../../address/run.ts';

/** Names of the panes, by their word in the link. */
const NAMES: Readonly<Record<RunAddress['pane'], string>> = {
  logs: 'Logs',
  probes: 'Probes',
  settings: 'Settings',
  ledger: 'Ledger',
  plan: 'Plan',
  object: 'Object',
  command: 'Command',
};

/** Tabs for the panes of a run or a step. */
export function Tabs({
  panes,
  shown,
  onShow,
}: {
  readonly panes: readonly RunAddress['pane'][];
  readonly shown: RunAddress['pane'];
  onShow(pane: RunAddress['pane']): void;
}): ReactElement {
  return (
    <fieldset className="tabs" aria-label="Details">
      {panes.map((pane) => (
        <button key={pane} type="button" aria-pressed={shown === pane} onClick={() => onShow(pane)}>
          {NAMES[pane]}
        </button>
      ))}
    </fieldset>
  );
}
