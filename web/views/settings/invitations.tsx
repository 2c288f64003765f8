import { useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { callRest } from '../../api/client.ts';
import { ActionButton } from '../action-button.tsx';
import { useRest } from '../use-rest.ts';

/** An invitation of the reader. */
interface Invitation {
  readonly projectID: string;
  readonly projectName: string;
  readonly invitationRole: string;
}

/** Projects to which the reader is invited. Nothing if there are none. */
export function Invitations(): ReactElement | null {
  const queries = useQueryClient();
  const view = useRest<{ readonly data: readonly Invitation[] }>(
    '/list_invitations_with_filters/Pending',
    ({ data }) => data.length === 0,
  );
  if (view.state !== 'shown' && view.state !== 'away') return null;
  const done = (): void => {
    view.retry();
    void queries.invalidateQueries({ queryKey: ['projects'] });
  };
  return (
    <section aria-label="Your invitations">
      <h2>Your invitations</h2>
      {view.data.data.map(({ projectID, projectName, invitationRole }) => (
        <p key={projectID}>
          <bdi>{projectName}</bdi>, as {invitationRole}{' '}
          <ActionButton
            label="Accept"
            name={`Accept the invitation to ${projectName}`}
            run={() => callRest('/accept_invitation', { projectID })}
            onDone={done}
          />
          <ActionButton
            label="Decline"
            name={`Decline the invitation to ${projectName}`}
            run={() => callRest('/decline_invitation', { projectID })}
            onDone={done}
          />
        </p>
      ))}
    </section>
  );
}
