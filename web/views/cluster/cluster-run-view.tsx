import { type ReactElement, useMemo } from 'react';
import { Link } from 'wouter';
import type { ClusterKind } from '../../../src/controlplane/schema/generated/types.ts';
import { comparePath } from '../../address/compare.ts';
import { clusterRunPath } from '../../address/routes.ts';
import { CLUSTER_RUN_ADDRESS, type RunAddress } from '../../address/run.ts';
import { type RecordedPage, recordedRun, workflowExecution } from '../../models/run/recorded-run.ts';
import { stepsOf } from '../../models/run/run-lanes.ts';
import { runNow } from '../../models/run/run-now.ts';
import { targetOf, withSelection } from '../../models/run/selection.ts';
import { durationWords } from '../../models/words/duration.ts';
import { Live } from '../../parts/live/live.tsx';
import { NowStrip } from '../../parts/now-strip/now-strip.tsx';
import { Notice, Panel } from '../../parts/panel/panel.tsx';
import { useNow } from '../../parts/time/use-now.ts';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import { AbortButton } from '../run/abort.tsx';
import { AxisPanel } from '../run/axis-panel.tsx';
import { ExportMenu } from '../run/export-menu.tsx';
import { useLighting } from '../run/lighting.ts';
import { Reason } from '../run/reason.tsx';
import { StepsPanel } from '../run/steps-panel.tsx';
import { useClusterRun } from './use-cluster.ts';
import '../run/run.css';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { useTitle } from '../use-title.ts';
import { ClusterDetail } from './cluster-detail.tsx';
import {
  ABORT,
  type ClusterRunSubscriptionVariables as ObjectName,
  type ShownClusterRun,
} from './generated/cluster.ts';

/** A live run of the cluster that the server watches. */
export function ClusterRunView({
  kind,
  namespace,
  name,
}: Readonly<Record<keyof ObjectName, string>>): ReactElement {
  const { view, connection } = useClusterRun({ kind: kind as ClusterKind, namespace, name });
  useTitle(name);
  return (
    <article className="run">
      <StateView view={view} heading={name} what="this run" empty={<Notice title="Run not found" />}>
        {(run) => <Shown run={run} live={<Live connection={connection} />} />}
      </StateView>
    </article>
  );
}

function Shown({ run, live }: { readonly run: ShownClusterRun; readonly live: ReactElement }): ReactElement {
  const { object, removed } = run;
  const isRunning = !removed && object.finishedAt === null;
  const nowMs = useNow(isRunning);
  const page = useMemo(() => JSON.parse(run.page) as RecordedPage, [run.page]);
  const model = useMemo(() => recordedRun(page, isRunning, nowMs), [page, isRunning, nowMs]);
  const { state: address, change } = useAddress(CLUSTER_RUN_ADDRESS);
  const { kind, namespace, name } = object;
  const now = runNow(
    { course: page.course, state: (isRunning ? undefined : page.outcome?.state) ?? object.state, isRunning },
    nowMs,
  );
  const execution = useMemo(() => workflowExecution(name, run.nodes), [name, run.nodes]);
  const steps = useMemo(() => (execution === undefined ? [] : stepsOf(execution)), [execution]);
  const lighting = useLighting({ axis: model.axis, steps });
  /** List, graph and axis have one selection. */
  const choose = (changes: Partial<RunAddress>, how: 'push' | 'replace'): void =>
    change(withSelection(changes, address, { axis: model.axis, steps }), how);
  return (
    <>
      <header className="run-head">
        <div>
          <h1>
            <bdi>{name}</bdi> <span className="quiet">in {namespace}</span>
          </h1>
          <p className="facts">
            {live}
            <Verdict state={now.state} words={now.words} />
            <span>{durationWords(model.axis.lengthMs)}</span>
            {removed ? <span>It was deleted from the cluster; this is its last state.</span> : null}
          </p>
        </div>
        <div className="actions">
          <Link className="button" href={comparePath(undefined, { a: '', b: object.id })}>
            Compare
          </Link>
          <ExportMenu
            path={`/export${clusterRunPath(object)}`}
            name={`${namespace}/${name}`}
            axis={model.axis}
            sentence={model.sentence}
          />
          {isRunning && !run.stopping ? (
            <AbortButton
              question={ABORT}
              variables={{ kind, namespace, name }}
              inForce={model.inForce}
              onDone={() => undefined}
            />
          ) : null}
        </div>
      </header>
      <NowStrip now={now} />
      <Reason
        model={model}
        stop={
          run.stopping || object.verdict === 'Stopped' || object.phase === 'stopped'
            ? { isOver: !isRunning }
            : undefined
        }
        onSelect={(mark) => choose({ mark, axis: 'lanes' }, 'push')}
      />
      {page.warnings.map((warning) => (
        <p key={warning} className="hint">
          {warning}
        </p>
      ))}
      <div className={execution === undefined ? undefined : 'run-body'} data-steps={address.steps}>
        {execution === undefined ? null : (
          <StepsPanel model={{ execution, steps }} address={address} change={choose} lighting={lighting} />
        )}
        <Panel name="The time axis">
          <AxisPanel
            model={model}
            address={address}
            change={choose}
            onOpen={(mark) => change({ mark, axis: 'table' }, 'push')}
            lighting={lighting}
            replay={{ atMs: address.at, change: (at, how) => change({ at }, how) }}
          />
        </Panel>
      </div>
      <ClusterDetail
        run={run}
        model={{ isRunning, startMs: model.axis.startMs }}
        selected={targetOf(model.axis, address.mark)}
        address={address}
        change={change}
      />
    </>
  );
}
