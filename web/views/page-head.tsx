import type { ReactElement, ReactNode } from 'react';
import type { Connection } from '../models/live/connection.ts';
import { Live } from '../parts/live/live.tsx';
import { useTitle } from './use-title.ts';
import './list-parts.css';

/** The title of a page, which is also the browser tab's, and how the page is connected. */
export function PageHead({
  title,
  connection,
  children,
}: {
  readonly title: string;
  readonly connection: Connection;
  /** The first action of the page. */
  readonly children?: ReactNode;
}): ReactElement {
  useTitle(title);
  return (
    <div className="page-head">
      <h1>
        <bdi>{title}</bdi>
      </h1>
      <Live connection={connection} />
      {children}
    </div>
  );
}
