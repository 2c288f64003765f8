/** A program of upstream's images, and what of Turnsole does its work. */
interface UpstreamProgram {
  /** Images that hold it, without registry and tag. */
  readonly images: readonly string[];
  /** Where they hold it, and where manifests look for it. */
  readonly path: string;
  /** Subcommand of `turnsole` that takes its place. */
  readonly component: string;
  /** Whether the images start it by themselves. @default true */
  readonly isEntryPoint?: boolean;
}

/**
 * The programs that manifests of LitmusChaos and Argo name as commands, by the Dockerfiles of their images. Both the embedded cluster
 * and Turnsole's own image have them at these places, so that a manifest works whose image alone was exchanged.
 */
export const UPSTREAM_PROGRAMS: readonly UpstreamProgram[] = [
  {
    images: ['litmuschaos/chaos-operator'],
    path: '/usr/local/bin/chaos-operator',
    component: 'operator',
  },
  {
    images: ['litmuschaos/chaos-runner'],
    path: '/usr/local/bin/chaos-runner',
    component: 'runner',
  },
  {
    images: ['litmuschaos/chaos-exporter'],
    path: '/litmus/chaos-exporter',
    component: 'exporter',
  },
  {
    images: ['litmuschaos/litmusportal-subscriber'],
    path: '/litmus/subscriber',
    component: 'subscriber',
  },
  {
    images: ['litmuschaos/litmusportal-event-tracker'],
    path: '/litmus/event-tracker',
    component: 'event-tracker',
  },
  {
    images: ['litmuschaos/workflow-controller', 'argoproj/workflow-controller'],
    path: '/bin/workflow-controller',
    component: 'workflow-controller',
  },
  {
    images: ['litmuschaos/argoexec', 'argoproj/argoexec'],
    path: '/bin/argoexec',
    component: 'workflow-helper',
  },
  {
    images: ['litmuschaos/go-runner'],
    path: '/litmus/experiments',
    component: 'experiment',
    isEntryPoint: false,
  },
  {
    images: ['litmuschaos/go-runner'],
    path: '/litmus/helpers',
    component: 'helper',
    isEntryPoint: false,
  },
];

/** Their working directory, where an image has one: `./experiments` is looked for there. */
export const UPSTREAM_WORKDIR = '/litmus';
