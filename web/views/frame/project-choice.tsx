import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { listPath } from '../../address/routes.ts';
import { Options } from '../../parts/options/options.tsx';
import { useProjects } from './use-projects.ts';

/** Switches to another project of the reader. */
export function ProjectChoice({ project }: { readonly project: string }): ReactElement | null {
  const [, navigate] = useLocation();
  const projects = useProjects().data ?? [];
  if (projects.length === 0) return null;
  return (
    <select
      aria-label="Project"
      value={project}
      onChange={({ target }) => navigate(listPath(target.value, 'overview'))}
    >
      <Options choices={projects.map(({ projectID, name }) => [projectID, name])} />
    </select>
  );
}
