/** Every address of the page, below the path that it is served at. */
export const ROUTES = {
  signIn: '/sign-in',
  experiments: '/project/:project/experiments',
  runs: '/project/:project/runs',
  run: '/project/:project/runs/:run',
  infrastructures: '/project/:project/infrastructures',
} as const;

/** The address of a run. */
export function runPath(project: string, run: string): string {
  return `/project/${encodeURIComponent(project)}/runs/${encodeURIComponent(run)}`;
}

/** The address of one of a project's lists. */
export function listPath(project: string, list: 'experiments' | 'runs' | 'infrastructures'): string {
  return `/project/${encodeURIComponent(project)}/${list}`;
}
