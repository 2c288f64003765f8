import { type OperationName, rolesFor } from '../models/access/may.ts';
import type { ViewState } from '../models/view-state/view-state.ts';
import { useRest } from './use-rest.ts';

/** The role of the reader in a project. */
export function useRole(project: string): ViewState<{ readonly role: string }> & { retry(): void } {
  return useRest(`/get_project_role/${encodeURIComponent(project)}`);
}

/**
 * Whether the reader may call an operation in a project, by their role there: the page does not offer other actions, and none until
 * the role is known.
 */
export function usePermissions(project: string): (operation: OperationName) => boolean {
  const view = useRole(project);
  const role = 'data' in view ? view.data.role : '';
  return (operation) => rolesFor(operation).includes(role);
}
