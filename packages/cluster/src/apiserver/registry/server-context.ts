import type { WriteContext } from './environment.ts';

/** The server's own user, for its own writes. */
export const SERVER_CONTEXT: WriteContext = {
  user: { name: 'system:apiserver', groups: ['system:masters'] },
  dryRun: false,
  fieldManager: 'kube-apiserver',
  warnings: [],
};
