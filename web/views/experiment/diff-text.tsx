import { type ReactElement, useMemo } from 'react';
import { isJson } from '../../models/json/json.ts';
import { lineDiff } from '../../models/text/line-diff.ts';
import { plainText } from '../../models/words/plain.ts';
import { YAML_FORM } from '../studio/yaml-form.ts';
import './diff-text.css';

/** Common lines around changes. */
const AROUND = 3;
const SIGNS = { same: ' ', gone: '−', new: '+', 'left-out': '⋯' } as const;

const ELEMENTS = { same: 'span', gone: 'del', new: 'ins', 'left-out': 'span' } as const;

/** The diff of two manifests as YAML. */
export function DiffText({
  before,
  after,
}: {
  readonly before: string;
  readonly after: string;
}): ReactElement {
  const lines = useMemo(() => lineDiff(yamlOf(before), yamlOf(after), AROUND), [before, after]);
  if (lines.length === 0)
    return (
      <p className="hint">
        The manifest is unchanged: only its name, tags or infrastructure changed, or it was just saved again.
      </p>
    );
  return (
    // oxlint-disable-next-line no-noninteractive-tabindex -- what scrolls has to be reached by the keyboard
    <pre className="diff" tabIndex={0}>
      {lines.map(({ kind, text }, place) => {
        const line = `${SIGNS[kind]} ${plainText(text)}\n`;
        const Line = ELEMENTS[kind];
        // oxlint-disable-next-line no-array-index-key -- a line is what it is by its place
        return <Line key={place}>{line}</Line>;
      })}
    </pre>
  );
}

/** A manifest as YAML; it is usually stored as JSON in one line. */
function yamlOf(manifest: string): string {
  try {
    const object: unknown = JSON.parse(manifest);
    return isJson(object) ? YAML_FORM.write(object) : manifest;
  } catch {
    return manifest;
  }
}
