import { useQueryClient } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { Redirect, useLocation, useSearch } from 'wouter';
import { returningTo } from '../address/return.ts';
import { ROUTES } from '../address/routes.ts';
import type { ViewState } from '../models/view-state/view-state.ts';
import { agoWords } from '../models/words/duration.ts';
import { Button } from '../parts/button/button.tsx';
import { Notice } from '../parts/panel/panel.tsx';

/** The text for a missing object. */
const GONE = 'It may have been deleted, or the ID in the link is wrong.';

/** Shows a view by its state; all states are handled here, so that no view forgets one. */
export function StateView<Data>({
  heading,
  ...state
}: Parameters<typeof Content<Data>>[0] & {
  /** The heading until the data arrives, for a view whose heading is part of the data. */
  readonly heading?: string;
}): ReactElement {
  const { view } = state;
  return (
    <>
      {heading === undefined || view.state === 'shown' || view.state === 'away' ? null : (
        <h1>
          <bdi>{heading}</bdi>
        </h1>
      )}
      <Content {...state} />
    </>
  );
}

function Content<Data>({
  view,
  what,
  empty,
  children,
}: {
  readonly view: ViewState<Data> & { retry(): void };
  /** What is shown, as a noun: "the runs". */
  readonly what: string;
  /** What stands there for an answer with nothing to show. */
  readonly empty?: ReactNode;
  children(data: Data): ReactNode;
}): ReactElement {
  const tryAgain = useTryAgain(view.retry);
  switch (view.state) {
    case 'loading':
      return <div className="waiting" role="status" aria-label={`Loading ${what}`} />;
    case 'signed-out':
      return <ToSignIn />;
    case 'forbidden':
      return (
        <Notice
          title={`Your role may not see ${what}`}
          text={`${view.message}. Ask an owner of the project for another role.`}
        />
      );
    case 'failed':
      return (
        <Notice
          title={`Cannot show ${what}`}
          text={`${view.message} (${view.code})`}
          action={{ label: 'Try again', do: tryAgain }}
        />
      );
    case 'missing':
      return <Notice title={`Cannot show ${what}`} text={`${view.message}. ${GONE}`} />;
    case 'empty':
      return <>{empty}</>;
    case 'away':
      return (
        <>
          <p className="away" role="status">
            The server does not answer; this is from {agoWords(view.sinceMs, Date.now())}: {view.message}
            <Button label="Try again" onClick={tryAgain} />
          </p>
          <div className="stale">{view.isEmpty ? empty : children(view.data)}</div>
        </>
      );
    case 'shown':
      return <>{children(view.data)}</>;
  }
}

/** Retries all failed requests, since an error in one place mostly affects others of the page as well, some of them silently. */
function useTryAgain(retry: () => void): () => void {
  const queries = useQueryClient();
  return () => {
    retry();
    void queries.refetchQueries({
      type: 'active',
      predicate: ({ state }) => state.status === 'error' && state.fetchStatus === 'idle',
    });
  };
}

/** Links to the sign-in, which returns to this page. */
function ToSignIn(): ReactElement {
  const [path] = useLocation();
  const search = useSearch();
  const here = search === '' ? path : `${path}?${search}`;
  return <Redirect to={`${ROUTES.signIn}${returningTo(here)}`} replace />;
}
