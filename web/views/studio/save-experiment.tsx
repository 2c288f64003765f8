import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { listPath, runPath } from '../../address/routes.ts';
import { ask } from '../../api/client.ts';
import { agoWords } from '../../models/words/duration.ts';
import { Button } from '../../parts/button/button.tsx';
import { randomId } from '../random-id.ts';
import { LAST_CHANGE, RUN, SAVE, UPDATE } from './generated/studio.ts';
import type { Origin } from './origin.ts';
import type { Studio } from './use-studio.ts';

/** Stores the experiment, and runs it if requested; then opens the run, else the list with it. */
export function SaveExperiment({
  project: projectID,
  origin,
  studio,
  isReady,
  isScheduled,
  isPlanSeen,
  whyNot,
}: {
  readonly project: string;
  readonly origin: Origin;
  readonly studio: Studio;
  readonly isReady: boolean;
  readonly isScheduled: boolean;
  /** Whether its plan is shown; running without it requires a confirmation. */
  readonly isPlanSeen: boolean;
  /** Why the plan says that a run would be refused, if it does. */
  readonly whyNot: string | undefined;
}): ReactElement {
  const newID = useRef(randomId());
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const [other, setOther] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const { stored } = origin;
  const action = useMutation({
    mutationFn: async ({ isRun, isMeant }: { readonly isRun: boolean; readonly isMeant: boolean }) => {
      const id = stored?.experimentID ?? newID.current;
      const newer =
        stored === undefined || isMeant ? undefined : await changedSince(projectID, id, studio.base);
      setOther(newer);
      if (newer !== undefined) return;
      await store(projectID, id, origin, studio);
      const run = isRun ? (await ask(RUN, { projectID, id })).runChaosExperiment.notifyID : undefined;
      studio.forget();
      // Earlier lists lack it, and are loaded again when they are shown.
      await queries.invalidateQueries({ refetchType: 'none' });
      navigate(
        run === undefined || isScheduled ? listPath(projectID, 'experiments') : runPath(projectID, run),
      );
    },
  });
  const isOff = !isReady || action.isPending;
  const run = isScheduled ? 'Save and begin the schedule' : 'Save and run now';
  return (
    <>
      <p className="form-end">
        <Button label="Save" isOff={isOff} onClick={() => action.mutate({ isRun: false, isMeant: false })} />
        <Button
          label={run}
          isOff={isOff}
          whyOff={whyNot}
          onClick={() => (isPlanSeen ? action.mutate({ isRun: true, isMeant: false }) : setAsking(true))}
        />
        {studio.isChanged && stored !== undefined ? (
          <Button look="link" label="Give up the changes" onClick={studio.discard} />
        ) : null}
      </p>
      {isAsking && !isPlanSeen ? (
        <p role="alert">
          You have not seen the plan of this experiment, which shows what it would hit.{' '}
          <Button
            look="link"
            label="Run without the plan"
            isOff={isOff}
            onClick={() => action.mutate({ isRun: true, isMeant: false })}
          />
        </p>
      ) : null}
      {other === undefined ? null : (
        <p role="alert" className="refused">
          {other} Saving overwrites that change.{' '}
          <Button
            look="link"
            label="Save anyway"
            onClick={() => action.mutate({ isRun: false, isMeant: true })}
          />
        </p>
      )}
      {action.error === null ? null : (
        <p className="refused" role="alert">
          Failed: {action.error.message}
        </p>
      )}
    </>
  );
}

/** A sentence about the last change of an experiment since it was opened here; undefined without one. */
async function changedSince(projectID: string, id: string, base: string): Promise<string | undefined> {
  const { getExperiment } = await ask(LAST_CHANGE, { projectID, id });
  const { updatedAt, updatedBy } = getExperiment.experimentDetails;
  if (updatedAt === base) return undefined;
  const when = agoWords(Number(updatedAt), Date.now());
  return `${updatedBy?.username ?? 'Another user'} has changed this experiment ${when}, after it was opened here.`;
}

async function store(
  projectID: string,
  id: string,
  { stored, tags }: Origin,
  { name, object, about: { description, infraID } }: Studio,
): Promise<void> {
  const manifest = JSON.stringify(object);
  if (stored === undefined) {
    const request = { id, name, description, infraID, manifest, tags: [...tags] };
    await ask(SAVE, { projectID, request });
    return;
  }
  await ask(UPDATE, {
    projectID,
    request: {
      ...{ experimentID: id, experimentName: name, experimentDescription: description, infraID },
      ...{ experimentManifest: manifest, tags: [...tags], isCustomExperiment: stored.isCustomExperiment },
      // The manifest has both.
      ...{ cronSyntax: '', weightages: [] },
    },
  });
}
