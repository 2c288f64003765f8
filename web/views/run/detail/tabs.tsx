import { type KeyboardEvent, type ReactElement, useRef } from 'react';
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

/** How far a key goes among the tabs; to the first or the last of them by a number that is larger than any. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowLeft: -1,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/** Tabs for the panes of a run or a step. Arrows walk along them, and Enter shows one, as each pane is a link of its own. */
export function Tabs({
  panes,
  shown,
  onShow,
}: {
  readonly panes: readonly Pane[];
  readonly shown: Pane;
  onShow(pane: Pane): void;
}): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  const walk = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    const tabs = [...(place.current?.children ?? [])] as HTMLElement[];
    const from = tabs.findIndex((tab) => tab === document.activeElement);
    if (step === undefined || from < 0) return;
    event.preventDefault();
    tabs[Math.min(tabs.length - 1, Math.max(0, from + step))]?.focus();
  };
  return (
    // oxlint-disable-next-line interactive-supports-focus -- its tabs have the focus
    <div ref={place} className="tabs" role="tablist" aria-label="Details" onKeyDown={walk}>
      {panes.map((pane) => (
        <button
          key={pane}
          type="button"
          role="tab"
          aria-selected={shown === pane}
          tabIndex={shown === pane ? 0 : -1}
          onClick={() => onShow(pane)}
        >
          {NAMES[pane]}
        </button>
      ))}
    </div>
  );
}
