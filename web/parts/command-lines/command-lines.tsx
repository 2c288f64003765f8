import { type ReactElement, useState } from 'react';
import { plainText } from '../../models/words/plain.ts';
import { Button } from '../button/button.tsx';

/** A command line equivalent to the page. */
interface CommandLine {
  readonly does: string;
  readonly line: string;
}

/** Command lines to be pasted in a terminal. */
export function CommandLines({ commands }: { readonly commands: readonly CommandLine[] }): ReactElement {
  return (
    <dl className="commands">
      {commands.map((command) => (
        <OneCommand key={command.line} {...command} />
      ))}
    </dl>
  );
}

function OneCommand({ does, line }: CommandLine): ReactElement {
  const [isCopied, setCopied] = useState(false);
  const copy = (): void => void navigator.clipboard?.writeText(line).then(() => setCopied(true));
  return (
    <div>
      <dt>{does}</dt>
      <dd>
        <code>{plainText(line)}</code>{' '}
        <Button look="link" label="Copy" name={`Copy the command: ${does}`} onClick={copy} />{' '}
        <span role="status">{isCopied ? 'Copied.' : ''}</span>
      </dd>
    </div>
  );
}
