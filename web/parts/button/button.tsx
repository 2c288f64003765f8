import type { ReactElement, ReactNode } from 'react';
import { plainText } from '../../models/words/plain.ts';

const CLASSES = { button: 'button', link: 'link', act: 'link act' } as const;

/** A button, which may look like a link, also in the row of a table (`act`). */
export function Button({
  label,
  name,
  look = 'button',
  isChaos = false,
  isOff = false,
  whyOff,
  onClick,
}: {
  /** What it does, as a verb. */
  readonly label: ReactNode;
  /** The same with its object, for screen readers. @default the label */
  readonly name?: string | undefined;
  readonly look?: keyof typeof CLASSES;
  /** Whether it begins chaos or ends it, and stands out. */
  readonly isChaos?: boolean;
  /** Whether it cannot be used now. */
  readonly isOff?: boolean;
  /** Why it cannot be used now, as its description: it is off with a reason. */
  readonly whyOff?: string | undefined;
  onClick(): void;
}): ReactElement {
  return (
    <button
      type="button"
      className={CLASSES[look]}
      data-kind={isChaos ? 'chaos' : undefined}
      aria-label={name === undefined ? undefined : plainText(name)}
      disabled={isOff || whyOff !== undefined}
      title={whyOff === undefined ? undefined : plainText(whyOff)}
      onClick={() => onClick()}
    >
      {label}
    </button>
  );
}
