import type { ReactElement } from 'react';
import type { CommandLine } from '../../../models/run/commands.ts';
import { plainText } from '../../../models/words/plain.ts';

/** Command lines equivalent to the page, and the YAML of the object if known. */
export function Commands({
  commands,
  manifest,
}: {
  readonly commands: readonly CommandLine[];
  readonly manifest?: string;
}): ReactElement {
  return (
    <>
      <dl className="commands">
        {commands.map(({ does, line }) => (
          <div key={line}>
            <dt>{does}</dt>
            <dd>
              <code>{plainText(line)}</code>
            </dd>
          </div>
        ))}
      </dl>
      {manifest === undefined ? null : (
        <details>
          <summary>YAML, for `turnsole run FILE`</summary>
          <pre className="text">{plainText(manifest)}</pre>
        </details>
      )}
    </>
  );
}
