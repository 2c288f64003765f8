import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import {
  bracketMatching,
  codeFolding,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language';
import { Annotation, EditorState, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { YamlProblem } from './read-yaml.ts';

/** Marks changes from the form, which are not reported back. */
const FromForm = Annotation.define<boolean>();

const setMarks = StateEffect.define<readonly YamlProblem[]>();

/** Lines with a problem. */
const MARKS = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, { effects, changes, state }) => {
    for (const effect of effects) {
      if (!effect.is(setMarks)) continue;
      const lines = new Set(effect.value.map(({ line }) => Math.min(line, state.doc.lines)));
      return Decoration.set(
        [...lines].toSorted((a, b) => a - b).map((line) => PROBLEM_LINE.range(state.doc.line(line).from)),
      );
    }
    return marks.map(changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});
const PROBLEM_LINE = Decoration.line({ class: 'cm-problem' });

/** Uses the tokens of the page, which are visible in the shadow root. */
const LOOK = EditorView.theme({
  '&': {
    height: '100%',
    color: 'var(--text)',
    backgroundColor: 'var(--raised)',
    fontSize: 'var(--size-small)',
  },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--font-fixed)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': {
    color: 'var(--text-quiet)',
    backgroundColor: 'var(--raised)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine': { boxShadow: 'inset 2px 0 var(--focus)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--line)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--line)' },
  '.cm-problem': { boxShadow: 'inset 3px 0 var(--verdict-fail)', backgroundColor: 'var(--paper)' },
  '.cm-foldPlaceholder': {
    color: 'var(--text-quiet)',
    backgroundColor: 'transparent',
    border: '1px solid var(--line)',
  },
});

const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--link)' },
  { tag: tags.comment, color: 'var(--text-quiet)', fontStyle: 'italic' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--verdict-pass)' },
  { tag: [tags.meta, tags.labelName, tags.typeName], color: 'var(--verdict-stopped)' },
]);

/**
 * A YAML editor in a shadow root, because the policy of the page would refuse its style sheets elsewhere. Tab
 * indents; after Escape it moves the focus.
 */
export class YamlEditor {
  readonly #view: EditorView;
  /** Reported texts that have not come back yet; the reader may have typed more meanwhile. */
  readonly #reported: string[] = [];

  constructor(host: HTMLElement, text: string, onChange: (text: string) => void) {
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    const extensions = [
      [lineNumbers(), foldGutter(), codeFolding(), history(), drawSelection(), highlightActiveLine()],
      [indentOnInput(), indentUnit.of('  '), bracketMatching(), yaml(), syntaxHighlighting(COLOURS)],
      [LOOK, MARKS, EditorState.tabSize.of(2)],
      keymap.of([
        ...[...defaultKeymap, ...historyKeymap, ...foldKeymap],
        { key: 'Tab', run: indentMore, shift: indentLess },
      ]),
      EditorView.contentAttributes.of({ 'aria-label': 'Manifest as YAML', tabindex: '0' }),
      EditorView.updateListener.of(({ docChanged, state, transactions }) => {
        if (docChanged && !transactions.some((one) => one.annotation(FromForm) === true)) {
          const typed = state.doc.toString();
          this.#reported.push(typed);
          onChange(typed);
        }
      }),
    ];
    this.#view = new EditorView({ root, parent: root, state: EditorState.create({ doc: text, extensions }) });
  }

  /** Shows a text, and replaces only the differences, so that cursor and scrolling stay. */
  show(text: string): void {
    const place = this.#reported.indexOf(text);
    this.#reported.splice(0, place < 0 ? this.#reported.length : place + 1);
    const before = this.#view.state.doc.toString();
    if (place >= 0 || before === text) return;
    let from = 0;
    while (from < Math.min(before.length, text.length) && before[from] === text[from]) from += 1;
    let same = 0;
    while (
      same < Math.min(before.length, text.length) - from &&
      before[before.length - 1 - same] === text[text.length - 1 - same]
    ) {
      same += 1;
    }
    this.#view.dispatch({
      changes: { from, to: before.length - same, insert: text.slice(from, text.length - same) },
      annotations: FromForm.of(true),
    });
  }

  mark(problems: readonly YamlProblem[]): void {
    this.#view.dispatch({ effects: setMarks.of(problems) });
  }

  /** Shows a line, from 1; the cursor stays. */
  reveal(line: number): void {
    const { doc } = this.#view.state;
    const { from } = doc.line(Math.min(Math.max(line, 1), doc.lines));
    this.#view.dispatch({ effects: EditorView.scrollIntoView(from, { y: 'start', yMargin: 20 }) });
  }

  /** Puts the cursor into a line, from 1, and shows it. */
  goTo(line: number): void {
    const { doc } = this.#view.state;
    const { from } = doc.line(Math.min(Math.max(line, 1), doc.lines));
    this.#view.dispatch({
      selection: { anchor: from },
      effects: EditorView.scrollIntoView(from, { y: 'center' }),
    });
    this.#view.focus();
  }

  destroy(): void {
    this.#view.destroy();
  }
}
