import { type ReactElement, useEffect, useRef } from 'react';
import { Button } from '../../parts/button/button.tsx';
import type { YamlProblem } from './read-yaml.ts';
import { YamlEditor } from './yaml-editor.ts';

/** The text of the manifest, and its problems, each with a link to its line. */
export function YamlPanel({
  text,
  problems,
  place,
  line,
  onChange,
}: {
  readonly text: string;
  /** The reader's place in the form; a change scrolls to its line. */
  readonly place: string;
  readonly line: number | undefined;
  readonly problems: readonly YamlProblem[];
  onChange(text: string): void;
}): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<YamlEditor>(undefined);
  const latestOnChange = useRef(onChange);
  const first = useRef(text);
  useEffect(() => {
    latestOnChange.current = onChange;
  }, [onChange]);
  useEffect(() => {
    if (host.current === null) return;
    const made = new YamlEditor(host.current, first.current, (next) => latestOnChange.current(next));
    editor.current = made;
    return () => made.destroy();
  }, []);
  useEffect(() => editor.current?.show(text), [text]);
  useEffect(() => editor.current?.mark(problems), [problems]);
  const shownPlace = useRef('');
  useEffect(() => {
    if (shownPlace.current === place) return;
    shownPlace.current = place;
    if (line !== undefined) editor.current?.reveal(line);
  }, [place, line]);
  return (
    <section aria-label="Manifest" className="yaml-panel">
      <h2>Manifest</h2>
      <div ref={host} className="yaml-editor" />
      <ul className="yaml-problems" aria-live="polite">
        {problems.map(({ line, text: words }) => (
          <li key={`${line} ${words}`}>
            <Button look="link" label={`Line ${line}`} onClick={() => editor.current?.goTo(line)} />: {words}
          </li>
        ))}
      </ul>
      <p className="hint">Escape, then Tab leaves the editor.</p>
    </section>
  );
}
