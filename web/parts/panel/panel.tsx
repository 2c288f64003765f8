import { Component, type ReactElement, type ReactNode } from 'react';
import { Link } from 'wouter';
import { plainText } from '../../models/words/plain.ts';
import { Button } from '../button/button.tsx';

/** An error boundary: views beside it keep working. */
export class Panel extends Component<
  { readonly name: string; readonly children: ReactNode },
  { error: Error | undefined }
> {
  override state: { error: Error | undefined } = { error: undefined };

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <Notice
        title={`${this.props.name} cannot be shown`}
        text={error.message}
        action={{ label: 'Try again', do: () => this.setState({ error: undefined }) }}
      />
    );
  }
}

/** A message for the reader, with what to do about it. */
export function Notice({
  title,
  text,
  action,
  link,
}: {
  readonly title: string;
  readonly text?: string;
  readonly action?: { readonly label: string; do(): void };
  /** The next step for the reader; a path of the page. */
  readonly link?: { readonly label: string; readonly path: string };
}): ReactElement {
  return (
    <section className="notice" role="status">
      <h2>{plainText(title)}</h2>
      {text === undefined ? null : <p>{plainText(text)}</p>}
      {action === undefined ? null : <Button label={action.label} onClick={() => action.do()} />}
      {link === undefined ? null : (
        <Link className="button" href={link.path}>
          {link.label}
        </Link>
      )}
    </section>
  );
}
