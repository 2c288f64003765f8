import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { listPath, ROUTES } from '../../address/routes.ts';
import { callRest } from '../../api/client.ts';
import { useProjects } from './use-projects.ts';

/** The way to another project, and out. */
export function BarEnd({ project }: { readonly project: string }): ReactElement {
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const projects = useProjects().data ?? [];
  const signOut = useMutation({
    mutationFn: () => callRest('/logout', {}),
    onSuccess: () => {
      queries.clear();
      navigate(ROUTES.signIn);
    },
  });
  return (
    <>
      {projects.length === 0 ? null : (
        <select
          aria-label="Project"
          value={project}
          onChange={({ target }) => navigate(listPath(target.value, 'overview'))}
        >
          {projects.map(({ projectID, name }) => (
            <option key={projectID} value={projectID}>
              {name}
            </option>
          ))}
        </select>
      )}
      <button type="button" className="link" disabled={signOut.isPending} onClick={() => signOut.mutate()}>
        Sign out
      </button>
    </>
  );
}
