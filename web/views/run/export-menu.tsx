import { type ReactElement, useEffect, useRef, useState } from 'react';
import type { Axis } from '../../models/timeline/axis.ts';
import { readColors } from '../../paint/colors.ts';
import { paintPicture } from '../../paint/picture.ts';
import { Button } from '../../parts/button/button.tsx';

/** How long a picture stays available for the browser to save it, in milliseconds. */
const KEPT_MS = 60_000;

/** Files from the server, and their purpose. */
const FILES = [
  ['html', 'HTML', 'the time axis and every step in one file that needs nothing else'],
  ['junit', 'JUnit', 'for CI systems'],
  ['json', 'JSON', 'the report of turnsole run --json'],
  ['markdown', 'Markdown', 'the sentence and its numbers, for the comment of a pull request'],
  ['badge', 'Badge', 'how it ended, for a README, as SVG'],
] as const;

/** Exports of a run. */
export function ExportMenu({
  path,
  name,
  axis,
  sentence,
}: {
  /** Path of the files on the server, without the form: `/export/run/p/42`. */
  readonly path: string;
  readonly name: string;
  readonly axis: Axis;
  readonly sentence: string;
}): ReactElement {
  const [problem, setProblem] = useState<string>();
  const menu = useRef<HTMLDetailsElement>(null);
  // The menu is no control of its own, so that what closes it is heard by the document.
  useEffect(() => {
    const onElsewhere = ({ target }: Event): void => {
      if (target instanceof Node && menu.current?.contains(target) === false) menu.current.open = false;
    };
    const onKey = ({ key }: KeyboardEvent): void => {
      const shown = menu.current;
      if (key !== 'Escape' || shown?.open !== true || !shown.contains(document.activeElement)) return;
      shown.open = false;
      shown.querySelector('summary')?.focus();
    };
    document.addEventListener('pointerdown', onElsewhere);
    document.addEventListener('focusin', onElsewhere);
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('pointerdown', onElsewhere);
      document.removeEventListener('focusin', onElsewhere);
      document.removeEventListener('keydown', onKey);
    };
  }, []);
  const picture = async (): Promise<void> => {
    setProblem(undefined);
    try {
      await savePicture(axis, name, sentence);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <details className="export" ref={menu}>
      <summary className="button">Export</summary>
      <ul>
        {FILES.map(([format, label, what]) => (
          <li key={format}>
            <a href={`${path}/${format}`} download>
              {label}
            </a>{' '}
            <small>{what}</small>
          </li>
        ))}
        <li>
          <Button look="link" label="PNG" onClick={() => void picture()} />{' '}
          <small>a picture of the time axis, in the colours of this theme</small>
        </li>
      </ul>
      {problem === undefined ? null : <p role="alert">No picture was made: {problem}</p>}
    </details>
  );
}

async function savePicture(axis: Axis, name: string, sentence: string): Promise<void> {
  const canvas = paintPicture(axis, { title: name, sentence }, readColors(document.body));
  const file = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (file === null) throw new Error('the browser could not write it');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = `${name.replaceAll(/[^\w.-]+/g, '-')}.png`;
  link.click();
  // The browser reads it after the click, without reporting when it has finished.
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}
