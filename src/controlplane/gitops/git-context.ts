import type { Context, ControlPlane } from '../access/context.ts';

/** The user name for changes and runs from a repository, as with upstream. */
const GIT_USER = 'git-ops';

/** A context of the server for a project, in the name of {@link GIT_USER}. */
export function gitContext(
  plane: ControlPlane,
  project: string,
  operation: string,
  signal: AbortSignal,
): Context {
  return {
    plane,
    transaction: plane.store.transaction,
    origin: { address: '', serverUrl: plane.settings.publicUrl ?? '' },
    caller: {
      ...{ kind: 'user', id: '', username: GIT_USER, email: 'gitops@litmus.chaos', role: 'user' },
      ...{ mustChangePassword: false, session: '' },
    },
    operation,
    member: { project, role: 'Owner' },
    signal,
  };
}
