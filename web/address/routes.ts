/** Every address of the page, below its base path. */
export const ROUTES = {
  signIn: '/sign-in',
  experiments: '/project/:project/experiments',
  experiment: '/project/:project/experiments/:experiment',
  studio: '/project/:project/studio/:experiment?',
  runs: '/project/:project/runs',
  run: '/project/:project/runs/:run',
  compare: '/project/:project/compare',
  infrastructures: '/project/:project/infrastructures',
  overview: '/project/:project/overview',
  trends: '/project/:project/trends',
  hubs: '/project/:project/hubs',
  hub: '/project/:project/hubs/:hub',
  probes: '/project/:project/probes',
  probe: '/project/:project/probes/:probe',
  settings: '/project/:project/settings/:part?',
  cluster: '/cluster',
} as const;

/** Addresses that pages of the watched cluster had, which lead to those of its project. */
export const FORMER_ROUTES = {
  clusterCompare: '/cluster/compare',
  clusterRun: '/cluster/:kind/:namespace/:name',
} as const;

/** The address of an experiment. */
export function experimentPath(project: string, experiment: string): string {
  return `/project/${encodeURIComponent(project)}/experiments/${encodeURIComponent(experiment)}`;
}

/** The address of a run. */
export function runPath(project: string, run: string): string {
  return `/project/${encodeURIComponent(project)}/runs/${encodeURIComponent(run)}`;
}

/** The address of a hub. */
export function hubPath(project: string, hub: string): string {
  return `/project/${encodeURIComponent(project)}/hubs/${encodeURIComponent(hub)}`;
}

/** The address of a probe. */
export function probePath(project: string, probe: string): string {
  return `/project/${encodeURIComponent(project)}/probes/${encodeURIComponent(probe)}`;
}

/** The address of the studio for an experiment that exists. */
export function studioPath(project: string, experiment: string): string {
  return `/project/${encodeURIComponent(project)}/studio/${encodeURIComponent(experiment)}`;
}

/** The address of the studio for a new experiment from a copy, or from an experiment or a fault of a hub. */
export function newStudioPath(project: string, from: 'copy' | 'sample' | 'fault', what: string): string {
  return `${listPath(project, 'studio')}?${new URLSearchParams({ [from]: what, v: '1' })}`;
}

/** The address of the studio for a new experiment with a fault of a hub, aimed at a workload of a cluster. */
export function aimedStudioPath(
  project: string,
  fault: string,
  {
    infraID,
    namespace,
    kind,
    label,
    name,
  }: Readonly<Record<'infraID' | 'namespace' | 'kind' | 'label' | 'name', string>>,
): string {
  const aim = new URLSearchParams({ fault, infra: infraID, namespace, kind, label, workload: name, v: '1' });
  return `${listPath(project, 'studio')}?${aim}`;
}

/** The address of a part of the settings. */
export function settingsPath(project: string, part: string): string {
  return `/project/${encodeURIComponent(project)}/settings/${encodeURIComponent(part)}`;
}

type List =
  | 'overview'
  | 'trends'
  | 'experiments'
  | 'studio'
  | 'runs'
  | 'probes'
  | 'hubs'
  | 'infrastructures'
  | 'settings';

/** The address of one of a project's lists. */
export function listPath(project: string, list: List): string {
  return `/project/${encodeURIComponent(project)}/${list}`;
}
