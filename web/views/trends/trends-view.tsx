import { type ReactElement, useEffect, useState } from 'react';
import { listPath } from '../../address/routes.ts';
import { TRENDS_ADDRESS } from '../../address/trends.ts';
import { lastWeeks, type Period, periodMs } from '../../models/trends/period.ts';
import { headSentence, neverTried, restWords, trendsMarkdown } from '../../models/trends/trends.ts';
import { dayWords } from '../../models/words/time.ts';
import { Button } from '../../parts/button/button.tsx';
import { Notice } from '../../parts/panel/panel.tsx';
import { PageHead } from '../page-head.tsx';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { RUNS_AND_EXPERIMENTS, useAskProject } from '../use-ask-project.ts';
import { TRENDS, type TrendsQuery } from './generated/trends.ts';
import { NeverTried } from './never-tried.tsx';
import { ServiceRows } from './service-rows.tsx';
import { usePresentServices } from './use-present-services.ts';
import '../form.css';
import './trends.css';

/** The period at first, and those that one click chooses, in weeks. */
const WEEKS = 12;
const CHOICES = [4, WEEKS, 52] as const;

/** Whether the services of a project got better in a period; the link holds the period, and the page prints. */
export function TrendsView({ project }: { readonly project: string }): ReactElement {
  const { state, change } = useAddress(TRENDS_ADDRESS);
  const [today] = useState(() => Date.now());
  const initial = lastWeeks(WEEKS, today);
  const period: Period = { from: state.from || initial.from, to: state.to || initial.to };
  const isWhole = state.from !== '' && state.to !== '';
  // A link to this page is to show the same tomorrow.
  useEffect(() => {
    if (!isWhole) change(period, 'replace');
    // oxlint-disable-next-line exhaustive-deps -- once, while the link has no period
  }, [isWhole]);
  const span = periodMs(period) ?? periodMs(initial) ?? { fromMs: 0, toMs: today };
  const range = { startDate: String(span.fromMs), endDate: String(span.toMs) };
  const view = useAskProject(TRENDS, { projectID: project, range }, RUNS_AND_EXPERIMENTS);
  return (
    <>
      <PageHead title="Did we get better?" connection={view.connection}>
        <Button label="Print" onClick={() => print()} />
      </PageHead>
      <div className="filter trends-period">
        <Day label="From" value={period.from} onChange={(from) => change({ ...period, from }, 'push')} />
        <Day label="to" value={period.to} onChange={(to) => change({ ...period, to }, 'push')} />
        {CHOICES.map((weeks) => (
          <Button
            key={weeks}
            look="link"
            label={weeks === 52 ? 'One year' : `${weeks} weeks`}
            onClick={() => change(lastWeeks(weeks, today), 'push')}
          />
        ))}
      </div>
      {periodMs(period) === undefined ? (
        <p className="refused" role="alert">
          The period ends before it begins; the last {WEEKS} weeks are shown.
        </p>
      ) : null}
      <p className="trends-days">
        {dayWords(span.fromMs)} to {dayWords(span.toMs - 1)}
      </p>
      <StateView view={view} what="the services">
        {({ getServiceTrends }) => <Trends project={project} trends={getServiceTrends} span={span} />}
      </StateView>
    </>
  );
}

function Day({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  onChange(day: string): void;
}): ReactElement {
  return (
    <label>
      {label}{' '}
      <input
        type="date"
        value={value}
        onChange={({ target }) => {
          // A day that is half typed is none.
          if (target.value !== '') onChange(target.value);
        }}
      />
    </label>
  );
}

function Trends({
  project,
  trends,
  span,
}: {
  readonly project: string;
  readonly trends: TrendsQuery['getServiceTrends'];
  readonly span: NonNullable<ReturnType<typeof periodMs>>;
}): ReactElement {
  const present = usePresentServices(project);
  const untried = neverTried(present ?? [], trends.services);
  const infraNames = new Map((present ?? []).map(({ infraID, infraName }) => [infraID, infraName]));
  return (
    <>
      <p className="trends-sentence">{headSentence(trends)}</p>
      {trends.runs === 0 ? (
        <Notice
          title="No run in this period"
          text="Choose another period, or run an experiment: each service that it hits becomes a row."
          link={{ label: 'To the experiments', path: listPath(project, 'experiments') }}
        />
      ) : null}
      {trends.services.length === 0 ? null : (
        <ServiceRows project={project} services={trends.services} span={span} infraNames={infraNames} />
      )}
      {restWords(trends).map((line) => (
        <p key={line} className="hint">
          {line}
        </p>
      ))}
      <NeverTried project={project} services={untried} isAsking={present === undefined} />
      <Markdown text={trendsMarkdown(trends, untried, span)} />
    </>
  );
}

/** The report for a wiki or a mail. */
function Markdown({ text }: { readonly text: string }): ReactElement {
  const [isCopied, setCopied] = useState(false);
  return (
    <details className="trends-markdown">
      <summary>As Markdown</summary>
      <Button
        label="Copy"
        name="Copy the Markdown"
        onClick={() => void navigator.clipboard?.writeText(text).then(() => setCopied(true))}
      />{' '}
      <span role="status">{isCopied ? 'Copied.' : ''}</span>
      <pre>{text}</pre>
    </details>
  );
}
