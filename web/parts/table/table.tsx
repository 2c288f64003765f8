import type { ReactElement, ReactNode } from 'react';
import './table.css';

/** A table that scrolls sideways where it has no room, also by the keyboard. */
export function Table({
  label,
  heads,
  children,
}: {
  readonly label: string;
  readonly heads: readonly string[];
  /** Rows. */
  readonly children: ReactNode;
}): ReactElement {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
    <section className="scroll" aria-label={label} tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
