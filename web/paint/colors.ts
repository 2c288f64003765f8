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
 * The tokens in a form for the canvas. A custom property keeps `light-dark(…)` unresolved, so each is read as the colour of an
 * element in `within`, where the theme applies. Read once per theme.
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
