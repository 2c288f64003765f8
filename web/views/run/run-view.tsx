import { type ReactElement, useMemo } from 'react';
import { Link } from 'wouter';
import { experimentPath } from '../../address/routes.ts';
import { RUN_ADDRESS, type RunAddress } from '../../address/run.ts';
import type { Connection } from '../../models/live/connection.ts';
import { targetOf, withSelection } from '../../models/run/selection.ts';
import { watchedObject } from '../../models/run/watched.ts';
import { isBeyond, withCurves } from '../../models/timeline/axis.ts';
import { durationWords } from '../../models/words/duration.ts';
import { plainText } from '../../models/words/plain.ts';
import { scoreWords } from '../../models/words/score.ts';
import { clockWords } from '../../models/words/time.ts';
import { isUnderWay } from '../../models/words/verdict.ts';
import { Button } from '../../parts/button/button.tsx';
import { lazyView } from '../../parts/lazy-view/lazy-view.tsx';
import { Live } from '../../parts/live/live.tsx';
import { Notice, Panel } from '../../parts/panel/panel.tsx';
import { PastTime } from '../../parts/time/past-time.tsx';
import { useNow } from '../../parts/time/use-now.ts';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { usePermissions } from '../use-permissions.ts';
import { useTitle } from '../use-title.ts';
import { AbortButton } from './abort.tsx';
import { AxisPanel } from './axis-panel.tsx';
import { CompareLink } from './compare-link.tsx';
import { ExportMenu } from './export-menu.tsx';
import { Reason } from './reason.tsx';
import { useRun } from './use-run.ts';
import './run.css';
import { NowStrip } from '../../parts/now-strip/now-strip.tsx';
import { type ShownRun, STOP } from './generated/run.ts';
import { useLighting } from './lighting.ts';
import { MetricNotes } from './metric-notes.tsx';
import { RunDetail } from './run-detail.tsx';
import { readRun, runModel } from './run-model.ts';
import { StepsPanel } from './steps-panel.tsx';
import { useMetrics } from './use-metrics.ts';
import { WaysOn } from './ways-on.tsx';

const StepDetail = lazyView('Loading the step', async () => (await import('./step-detail.tsx')).StepDetail);

/** One run: its verdict, the reason, and what happened when. */
export function RunView({ project, run }: { readonly project: string; readonly run: string }): ReactElement {
  const view = useRun(project, run);
  return (
    <StateView view={view} heading="Run" what="this run" empty={<Notice title="Run not found" />}>
      {(data) => (
        <Shown
          run={data.getExperimentRun}
          project={project}
          connection={view.connection}
          refresh={view.retry}
        />
      )}
    </StateView>
  );
}

function Shown({
  run,
  project,
  connection,
  refresh,
}: {
  readonly run: ShownRun;
  readonly project: string;
  readonly connection: Connection;
  refresh(): void;
}): ReactElement {
  const { state: address, problems, change } = useAddress(RUN_ADDRESS);
  const may = usePermissions(project);
  const [read, readAt] = useMemo(() => [readRun(run), Date.now()] as const, [run]);
  const nowMs = useNow(isUnderWay(run.outcome.state) || run.phase === 'Stopped');
  const explained = useMemo(() => runModel(read, Math.max(nowMs, readAt)), [read, nowMs, readAt]);
  const metrics = useMetrics(project, run, explained.isRunning);
  const lanes = metrics?.lanes;
  const model = useMemo(
    () => ({ ...explained, axis: withCurves(explained.axis, lanes ?? []) }),
    [explained, lanes],
  );
  const { steps } = model;
  const step = steps[address.step ?? -1];
  const name = plainText(run.experimentName);
  const object = watchedObject(run.experimentRunID);
  const title = object === undefined ? `${name} · run ${run.runSequence}` : `${object.namespace}/${name}`;
  // An engine that no workflow made is one step, which the axis shows as a whole.
  const hasSteps = object === undefined || steps.length > 0;
  useTitle(title);
  const lighting = useLighting(model);
  /** List, graph and axis have one selection. */
  const choose = (changes: Partial<RunAddress>, how: 'push' | 'replace'): void =>
    change(withSelection(changes, address, model), how);
  return (
    <article className="run">
      <header className="run-head">
        <div>
          <h1>
            {object === undefined ? (
              <>
                <Link href={experimentPath(project, run.experimentID)}>
                  <bdi>{name}</bdi>
                </Link>{' '}
                <span className="quiet">· run {run.runSequence}</span>
              </>
            ) : (
              <>
                <bdi>{name}</bdi> <span className="quiet">in {object.namespace}</span>
              </>
            )}
          </h1>
          <p className="facts">
            <Live connection={connection} />
            <Verdict state={model.now.state} words={model.now.words} />
            <span>{durationWords(model.durationMs)}</span>
            {object === undefined ? <span>score {scoreWords(run.outcome.score)}</span> : null}
            {run.isRemoved === true ? (
              <span>It was deleted from the cluster; this is its last state.</span>
            ) : null}
            <span>
              on <bdi>{run.infra.name}</bdi>
            </span>
            <span>
              begun <PastTime ms={Number(run.createdAt)} />
              {run.createdBy === null ? null : (
                <>
                  {' '}
                  by <bdi>{run.createdBy.username}</bdi>
                </>
              )}
            </span>
            {model.isRunning && connection.state !== 'live' ? (
              <span className="quiet">
                as of {clockWords(readAt)} <Button look="link" label="Refresh" onClick={refresh} />
              </span>
            ) : null}
          </p>
        </div>
        <div className="actions">
          <CompareLink project={project} run={run} />
          <ExportMenu
            path={`/export/run/${encodeURIComponent(project)}/${encodeURIComponent(run.experimentRunID || (run.notifyID ?? ''))}`}
            name={title}
            axis={model.axis}
            sentence={model.sentence}
          />
          {model.isRunning && !model.isStopping && may('stopExperimentRuns') ? (
            <AbortButton
              question={STOP}
              variables={{
                ...{ projectID: project, experimentID: run.experimentID },
                ...(run.experimentRunID === '' ? { notifyID: run.notifyID } : { runID: run.experimentRunID }),
              }}
              inForce={model.inForce}
              onDone={refresh}
            />
          ) : null}
        </div>
      </header>
      <NowStrip now={model.now} />
      <Reason
        model={model}
        stop={run.phase === 'Stopped' ? { isOver: !model.isStopping } : undefined}
        onSelect={(mark) => choose({ mark, axis: 'lanes' }, 'push')}
      />
      {model.isRunning || object !== undefined ? null : <WaysOn project={project} run={run} />}
      {model.isRunning && !run.infra.isActive ? (
        <p className="hint" role="status">
          Its agent is away
          {run.infra.lastSeenAt === null ? null : (
            <>
              , last seen <PastTime ms={Number(run.infra.lastSeenAt)} />
            </>
          )}
          : this is what it has said by then, and the run may be further.
        </p>
      ) : null}
      {model.warnings.map((warning) => (
        <p key={warning} className="hint">
          {warning}
        </p>
      ))}
      {problems.map((problem) => (
        <p key={problem} className="hint" role="status">
          {problem}
        </p>
      ))}
      <div className={hasSteps ? 'run-body' : undefined} data-steps={address.steps}>
        {hasSteps ? <StepsPanel model={model} address={address} change={choose} lighting={lighting} /> : null}
        <div>
          <Panel name="The time axis">
            <AxisPanel
              model={model}
              address={address}
              change={choose}
              onOpen={(mark) => choose(hasSteps ? { mark } : { mark, axis: 'table' }, 'push')}
              lighting={lighting}
              replay={{ atMs: address.at, change: (at, how) => change({ at }, how) }}
            />
            {metrics === undefined ? null : <MetricNotes metrics={metrics} isBeyond={isBeyond(model.axis)} />}
            {model.axis.isExact ? null : (
              <p className="hint">
                Times are those of the agent, to the second, and of steps only: targets and probes are drawn
                for as long as their step was at work.
              </p>
            )}
          </Panel>
        </div>
      </div>
      {step === undefined ? (
        <RunDetail
          {...{ project, run, steps, model, address, change }}
          selected={targetOf(model.axis, address.mark)}
        />
      ) : (
        <StepDetail
          project={project}
          step={step}
          steps={steps}
          model={model}
          run={run}
          selected={targetOf(model.axis, address.mark)}
          address={address}
          change={change}
        />
      )}
    </article>
  );
}
