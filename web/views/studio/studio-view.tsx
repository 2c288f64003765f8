import { type ReactElement, useState } from 'react';
import { parse } from 'yaml';
import { STUDIO_ADDRESS } from '../../address/studio.ts';
import { readFault } from '../../models/studio/read-fault.ts';
import { plainText } from '../../models/words/plain.ts';
import { Notice } from '../../parts/panel/panel.tsx';
import { FAULT } from '../hubs/generated/hubs.ts';
import { RequirePermission } from '../require-permission.tsx';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { useAsk } from '../use-ask.ts';
import { EXPERIMENT, PLACES, SAMPLE } from './generated/studio.ts';
import {
  type Aim,
  copyOrigin,
  newOrigin,
  type Origin,
  onlyPlace,
  placedOrigin,
  sampleOrigin,
  storedOrigin,
} from './origin.ts';
import { Workbench } from './workbench.tsx';

/** Creates or changes an experiment, as a form and as YAML; for readers who may. */
export function StudioView({
  project,
  experiment,
}: {
  readonly project: string;
  readonly experiment?: string | undefined;
}): ReactElement {
  return (
    <RequirePermission
      project={project}
      {...(experiment === undefined
        ? { operation: 'saveChaosExperiment', heading: 'New experiment', todo: 'make experiments' }
        : { operation: 'updateChaosExperiment', heading: 'Experiment', todo: 'change experiments' })}
    >
      <Studio project={project} experiment={experiment} />
    </RequirePermission>
  );
}

function Studio({
  project,
  experiment,
}: {
  readonly project: string;
  readonly experiment: string | undefined;
}): ReactElement {
  const { state, problems } = useAddress(STUDIO_ADDRESS);
  const { copy, sample, fault, infra, namespace, kind, label, workload } = state;
  const aim = label === '' ? undefined : { namespace, kind, label, workload };
  const begin = (title: string, origin: Origin): ReactElement => (
    <Workbench
      key={`${experiment} ${copy} ${sample} ${fault} ${infra} ${namespace} ${label}`}
      project={project}
      title={title}
      origin={origin}
      place={[project, experiment, copy, sample, fault, infra, namespace, label].join(' ')}
    />
  );
  const placed = (origin: Origin): ReactElement => (
    <OnlyPlace project={project} wanted={infra}>
      {(place) => begin('New experiment', placedOrigin(origin, place))}
    </OnlyPlace>
  );
  return (
    <>
      {problems.map((problem) => (
        <p key={problem} className="hint">
          {problem}
        </p>
      ))}
      {experiment !== undefined ? (
        <FromExperiment project={project} id={experiment}>
          {(stored) => begin(`Change ${plainText(stored.name)}`, storedOrigin(stored))}
        </FromExperiment>
      ) : copy !== '' ? (
        <FromExperiment project={project} id={copy}>
          {(stored) => begin(`Copy of ${plainText(stored.name)}`, copyOrigin(stored))}
        </FromExperiment>
      ) : sample !== '' ? (
        <FromSample project={project} place={sample}>
          {(manifest) => placed(sampleOrigin(manifest))}
        </FromSample>
      ) : fault !== '' ? (
        <FromFault project={project} place={fault} aim={aim}>
          {placed}
        </FromFault>
      ) : (
        placed(NEW)
      )}
    </>
  );
}

const NEW = newOrigin();

type Place = Parameters<typeof placedOrigin>[1];

/** Where a new experiment runs; the studio waits for it, since what is chosen by itself is no change of the reader's. */
function OnlyPlace({
  project,
  wanted,
  children,
}: {
  readonly project: string;
  /** The infrastructure of the link; empty for none. */
  readonly wanted: string;
  children(place: Place): ReactElement;
}): ReactElement {
  const view = useAsk(PLACES, { projectID: project });
  // Whatever comes later is for the reader to choose.
  const [place, setPlace] = useState<{ readonly found: Place }>();
  if (place !== undefined) return children(place.found);
  if ('data' in view) {
    const { infras } = view.data.listInfras;
    setPlace({ found: infras.find((infra) => infra?.infraID === wanted) ?? onlyPlace(infras) });
  }
  if (view.state !== 'loading') return children(undefined);
  return <div className="waiting" role="status" aria-label="Loading the infrastructures" />;
}

function FromExperiment({
  project,
  id,
  children,
}: {
  readonly project: string;
  readonly id: string;
  children(stored: Parameters<typeof storedOrigin>[0]): ReactElement;
}): ReactElement {
  const view = useAsk(EXPERIMENT, { projectID: project, id });
  return (
    <StateView view={view} heading="Experiment" what="the experiment">
      {({ getExperiment }) => children(getExperiment.experimentDetails)}
    </StateView>
  );
}

function FromSample({
  project,
  place,
  children,
}: {
  readonly project: string;
  /** `hub/name` */
  readonly place: string;
  children(manifest: string): ReactElement;
}): ReactElement {
  const [hub = '', name = ''] = place.split('/');
  const view = useAsk(SAMPLE, { projectID: project, hub, name });
  return (
    <StateView view={view} heading="New experiment" what="the experiment of the hub">
      {({ getPredefinedExperiment: [found] }) =>
        found === undefined ? (
          <Notice title={`The hub has no experiment ${name}`} text="It may have been taken out of it." />
        ) : (
          children(found.experimentManifest)
        )
      }
    </StateView>
  );
}

function FromFault({
  project,
  place,
  aim,
  children,
}: {
  readonly project: string;
  /** `hub/category/name` */
  readonly place: string;
  readonly aim: Aim | undefined;
  children(origin: Origin): ReactElement;
}): ReactElement {
  const [hub = '', category = '', name = ''] = place.split('/');
  const view = useAsk(FAULT, { projectID: project, hub, category, name });
  return (
    <StateView view={view} heading="New experiment" what={`the fault ${name}`}>
      {({ getChaosFault }) =>
        children(newOrigin(readFault(name, parse(getChaosFault.fault), parse(getChaosFault.engine)), aim))
      }
    </StateView>
  );
}
