import type { ReactElement } from 'react';
import type { CommandLine } from '../../../models/run/commands.ts';
import { plainText } from '../../../models/words/plain.ts';

/** Command lines equivalent to the page. */
export function Commands({ commands }: { readonly commands: readonly CommandLine[] }): ReactElement {
  return (
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
  );
}
