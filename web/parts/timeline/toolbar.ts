import { KIND_WORDS, KINDS } from '../../models/timeline/kinds.ts';
import { element } from './element.ts';
import { type Command, KEY_LIST } from './keys.ts';
import type { TimelineView } from './state.ts';

/** The buttons over the names, and the list of keys that one of them opens. */
interface Toolbar {
  readonly element: HTMLElement;
  readonly help: HTMLElement;
  show(view: TimelineView): void;
  /** Offers the replay by a button, or does not. */
  offerReplay(open: (() => void) | undefined): void;
  toggleHelp(): void;
}

/** Creates buttons for the same commands as the keys. */
export function makeToolbar(obey: (command: Command) => void, signal: AbortSignal): Toolbar {
  const button = (text: string, label: string, command: Command): HTMLButtonElement => {
    const made = element('button', { type: 'button', title: label, 'aria-label': label }, text);
    made.addEventListener('click', () => obey(command), { signal });
    return made;
  };
  let openReplay: (() => void) | undefined;
  const replay = element('button', { type: 'button', title: 'Replay the run', hidden: '' }, 'Replay');
  replay.addEventListener('click', () => openReplay?.(), { signal });
  const table = button('Table', 'Show the marks as a table (t)', { do: 'table' });
  const keys = button('?', 'Keys and signs (?)', { do: 'help' });
  const bar = element(
    'div',
    { class: 'timeline-tools', role: 'toolbar', 'aria-label': 'Time axis' },
    button('Fit', 'Fit the whole run (f)', { do: 'fit' }),
    button('−', 'Zoom out (−)', { do: 'zoom', factor: 2 }),
    button('+', 'Zoom in (+)', { do: 'zoom', factor: 0.5 }),
    table,
    keys,
    replay,
  );
  const help = makeHelp();
  return {
    element: bar,
    help,
    show: ({ isTable }) => table.setAttribute('aria-pressed', String(isTable)),
    offerReplay: (open) => {
      openReplay = open;
      replay.hidden = open === undefined;
    },
    toggleHelp: () => {
      help.hidden = !help.hidden;
      keys.setAttribute('aria-expanded', String(!help.hidden));
    },
  };
}

function makeHelp(): HTMLElement {
  const keys = KEY_LIST.flatMap(([key, does]) => [element('dt', {}, key), element('dd', {}, does)]);
  const signs = KINDS.map((kind) =>
    element('li', {}, element('i', { 'data-kind': kind, 'aria-hidden': 'true' }), KIND_WORDS[kind]),
  );
  return element(
    'section',
    { class: 'timeline-help', 'aria-label': 'Keys and signs', hidden: '' },
    element('dl', {}, ...keys),
    element('ul', { 'aria-label': 'Signs' }, ...signs),
  );
}
