import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useRef } from 'react';
import { useLocation } from 'wouter';
import { listPath } from '../../address/routes.ts';
import { ask } from '../../api/client.ts';
import type { Draft } from '../../models/studio/draft.ts';
import { RUN, SAVE } from './studio-query.ts';

/** Stores the experiment, and runs it when that was asked for; then leads to the list where it is. */
export function SaveExperiment({
  project: projectID,
  draft,
  manifest,
  isReady,
}: {
  readonly project: string;
  readonly draft: Draft;
  readonly manifest: object;
  readonly isReady: boolean;
}): ReactElement {
  const id = useRef(newId());
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const action = useMutation({
    mutationFn: async (isRun: boolean) => {
      const { name, description, infraID } = draft;
      const request = { id: id.current, name, description, infraID, manifest: JSON.stringify(manifest) };
      await ask(SAVE, { projectID, request });
      if (isRun) await ask(RUN, { projectID, id: id.current });
      // Lists that were shown before lack it; they ask again when they are shown.
      await queries.invalidateQueries({ refetchType: 'none' });
      navigate(listPath(projectID, isRun ? 'runs' : 'experiments'));
    },
  });
  const isOff = !isReady || action.isPending;
  return (
    <p className="form-end">
      <button type="button" className="button" disabled={isOff} onClick={() => action.mutate(false)}>
        Save
      </button>
      <button type="button" className="button" disabled={isOff} onClick={() => action.mutate(true)}>
        Save and run now
      </button>
      {action.error === null ? null : (
        <span className="refused" role="alert">
          This was refused: {action.error.message}
        </span>
      )}
    </p>
  );
}

/** An id that nobody has; pages that came without TLS have no `randomUUID`. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
