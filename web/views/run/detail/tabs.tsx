import type { ReactElement } from 'react';
import type { RunAddress } from '../../../address/run.ts';

type Pane = Exclude<RunAddress['pane'], ''>;

/** Names of the panes, by their word in the link. */
const NAMES: Readonly<Record<Pane, string>> = {
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
  readonly panes: readonly Pane[];
  readonly shown: Pane;
  onShow(pane: Pane): void;
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
