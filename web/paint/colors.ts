import { KINDS, type Kind } from '../models/timeline/kinds.ts';

/** The colours of the canvas, by meaning. */
export interface Colors {
  readonly kinds: Readonly<Record<Kind, string>>;
  readonly line: string;
  readonly paper: string;
  readonly text: string;
  readonly quiet: string;
  readonly focus: string;
  readonly inForce: string;
  /** Families of the page's font. */
  readonly font: string;
}

const TOKENS: Readonly<Record<Kind, string>> = {
  life: '--mark-life',
  step: '--mark-step',
  chaos: '--in-force-soft',
  recovered: '--mark-recovered',
  passed: '--verdict-pass',
  unready: '--verdict-stopped',
  injected: '--in-force',
  ineffective: '--mark-ineffective',
  error: '--verdict-error',
  failure: '--verdict-fail',
  open: '--in-force',
};

/**
 * The tokens as the canvas can use them. A custom property keeps `light-dark(…)` as it is written, so each is asked for as the colour of an
 * element in `within`, which is where the theme has been decided. Read once per theme.
 */
export function readColors(within: HTMLElement): Colors {
  const probe = within.ownerDocument.createElement('span');
  within.append(probe);
  const read = (token: string): string => {
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  };
  const kinds = Object.fromEntries(KINDS.map((kind) => [kind, read(TOKENS[kind])])) as Record<Kind, string>;
  const colors = {
    kinds,
    line: read('--line'),
    paper: read('--paper'),
    text: read('--text'),
    quiet: read('--text-quiet'),
    focus: read('--focus'),
    inForce: read('--in-force'),
    font: getComputedStyle(probe).fontFamily,
  };
  probe.remove();
  return colors;
}
