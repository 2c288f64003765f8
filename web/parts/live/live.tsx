import type { ReactElement } from 'react';
import type { Connection } from '../../models/live/connection.ts';
import { clockWords } from '../../models/words/time.ts';
import './live.css';

/** Shows whether the view is up to date. */
export function Live({ connection }: { readonly connection: Connection }): ReactElement {
  return (
    <span className="live" data-state={connection.state} role="status">
      {wordsOf(connection)}
    </span>
  );
}

function wordsOf(connection: Connection): string {
  switch (connection.state) {
    case 'connecting':
      return 'connecting';
    case 'live':
      return 'live';
    case 'catching-up':
      return 'catching up';
    case 'away':
      return `away since ${clockWords(connection.sinceMs)}`;
  }
}
