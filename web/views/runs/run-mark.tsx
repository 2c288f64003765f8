import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { runPath } from '../../address/routes.ts';
import { Verdict } from '../../parts/verdict/verdict.tsx';

/** A run in a strip of runs: the mark of its verdict, as a link once its agent has reported the run. */
export function RunMark({
  project,
  run: { experimentRunID, outcome },
  words,
}: {
  readonly project: string;
  readonly run: { readonly experimentRunID: string; readonly outcome: { readonly state: string } };
  /** What the mark stands for. */
  readonly words: string;
}): ReactElement {
  const mark = <Verdict state={outcome.state} isBrief />;
  if (experimentRunID === '') return <span title={words}>{mark}</span>;
  return (
    <Link href={runPath(project, experimentRunID)} aria-label={words} title={words}>
      {mark}
    </Link>
  );
}
