import { type ReactElement, useMemo } from 'react';
import { Link } from 'wouter';
import type { ClusterKind } from '../../../src/controlplane/schema/generated/types.ts';
import { COMPARE_ADDRESS } from '../../address/compare.ts';
import { clusterRunPath } from '../../address/routes.ts';
import { comparableRuns, previousObject } from '../../models/run/previous-object.ts';
import { type RecordedPage, recordedRun } from '../../models/run/recorded-run.ts';
import { plainText } from '../../models/words/plain.ts';
import { stateWords } from '../../models/words/verdict.ts';
import { Notice } from '../../parts/panel/panel.tsx';
import {
  CLUSTER_OBJECT_LIST,
  type ClusterRunSubscriptionVariables as ObjectName,
  type ShownClusterRun,
} from '../cluster/generated/cluster.ts';
import { useClusterRun } from '../cluster/use-cluster.ts';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { useAsk } from '../use-ask.ts';
import { useTitle } from '../use-title.ts';
import { ChooseRun } from './choose-run.tsx';
import { Compared, type ComparedSide } from './compared.tsx';

const NO_RUN = <Notice title="Run not found" />;
const NO_VARIABLES = {};

/** Two runs of the cluster that the server watches, side by side. */
export function ClusterCompareView(): ReactElement {
  const { state, change } = useAddress(COMPARE_ADDRESS);
  const list = useAsk(
    CLUSTER_OBJECT_LIST,
    NO_VARIABLES,
    ({ listClusterObjects }) => listClusterObjects.length === 0,
  );
  useTitle('Two runs');
  return (
    <article className="run">
      <h1>Two runs side by side</h1>
      <StateView view={list} what="the runs" empty={<Notice title="No chaos in this cluster" />}>
        {({ listClusterObjects }) => {
          const second = listClusterObjects.find(({ id }) => id === state.b);
          const a = state.a || (second && previousObject(listClusterObjects, second)?.id) || '';
          const choices = comparableRuns(listClusterObjects).map(({ id, kind, namespace, name, state }) => ({
            id,
            words: `${namespace}/${name} (${kind}), ${stateWords(state).word}`,
          }));
          const choose = (sides: { readonly a?: string; readonly b?: string }): void =>
            change({ ...sides, mark: undefined, t: undefined }, 'push');
          return (
            <>
              <div className="choose">
                <ChooseRun letter="A" value={a} choices={choices} onChoose={(id) => choose({ a: id })} />
                <ChooseRun
                  letter="B"
                  value={state.b}
                  choices={choices}
                  onChoose={(id) => choose({ a, b: id })}
                />
              </div>
              <Both a={nameOf(a)} b={nameOf(state.b)} />
            </>
          );
        }}
      </StateView>
    </article>
  );
}

/** Parses `Kind/namespace/name`; undefined for another text. */
function nameOf(id: string): ObjectName | undefined {
  const [kind, namespace, name, ...rest] = id.split('/');
  if (kind === undefined || namespace === undefined || name === undefined || rest.length > 0)
    return undefined;
  return { kind: kind as ClusterKind, namespace, name };
}

function Both({
  a,
  b,
}: {
  readonly a: ObjectName | undefined;
  readonly b: ObjectName | undefined;
}): ReactElement {
  if (a === undefined || b === undefined)
    return (
      <Notice
        title="Choose two runs"
        text="There is no other run of this kind, name or faults that is older."
      />
    );
  return <Watched key={`${clusterRunPath(a)} ${clusterRunPath(b)}`} a={a} b={b} />;
}

function Watched({ a, b }: { readonly a: ObjectName; readonly b: ObjectName }): ReactElement {
  const [first, second] = [useClusterRun(a).view, useClusterRun(b).view];
  return (
    <StateView view={first} what="the first run" empty={NO_RUN}>
      {(one) => (
        <StateView view={second} what="the second run" empty={NO_RUN}>
          {(other) => <Shown a={one} b={other} />}
        </StateView>
      )}
    </StateView>
  );
}

function Shown({ a, b }: { readonly a: ShownClusterRun; readonly b: ShownClusterRun }): ReactElement {
  const [one, other] = [useMemo(() => sideOf(a), [a]), useMemo(() => sideOf(b), [b])];
  return <Compared a={one} b={other} />;
}

function sideOf({ object, removed, page }: ShownClusterRun): ComparedSide {
  const isRunning = !removed && object.finishedAt === null;
  const { axis } = recordedRun(JSON.parse(page) as RecordedPage, isRunning, Date.now());
  return {
    run: {
      name: `${object.namespace}/${object.name}`,
      state: object.state,
      isRunning,
      axis,
    },
    link: (
      <Link href={clusterRunPath(object)}>
        <bdi>{plainText(`${object.namespace}/${object.name}`)}</bdi>
      </Link>
    ),
  };
}
