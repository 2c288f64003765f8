import type { PodSettings } from '@turnsole/workflows/pods/settings';
import type { TaskSettings } from '../workflow-helper/tasks/task-runner.ts';
import type { RetentionPolicy } from './cleanup/expiry.ts';
import type { EventSettings } from './events/events-of.ts';
import type { RateLimit } from './pod-rate.ts';
import type { PodSpecLogStrategy } from './pod-spec-log.ts';

/** Settings of the running controller. Read anew at each pass, so that the configuration may change. */
export interface WorkflowSettings {
  /** Form of the names of pods, for workflows that begin. @default v1 of a controller with an instance id, else v2 */
  readonly podNames?: 'v1' | 'v2';
  /** A workflow, parts of which stand below those of every workflow (`workflowDefaults`). */
  readonly workflowDefaults?: Readonly<Record<string, unknown>>;
  /** Workflows that run at the same time; 0 for any number. @default 0 */
  readonly parallelism?: number;
  /** The same for each namespace. @default 0 */
  readonly namespaceParallelism?: number;
  /** How fast pods are made, for all workflows together. @default as fast as they are decided */
  readonly podRate?: RateLimit;
  /** The repository of artifacts where no ConfigMap says another one (`artifactRepository`). */
  readonly artifactRepository?: unknown;
  /** How `http` and `plugin` templates are carried out. */
  readonly tasks?: TaskSettings;
  readonly pods: PodSettings;
  /** How many finished workflows are kept, in this controller's reach. @default all */
  readonly retention?: RetentionPolicy;
  /** Seconds that pods have to end when `podGC` deletes them. @default theirs */
  readonly podGcGraceSeconds?: number;
  readonly events?: EventSettings;
  /** Whether workflows get no estimate of their duration. @default false */
  readonly withoutEstimates?: boolean;
  /** The pods whose spec is logged. @default none */
  readonly podSpecLog?: PodSpecLogStrategy;
}

/** Settings with the form of names. */
export type NamedSettings = WorkflowSettings & Required<Pick<WorkflowSettings, 'podNames'>>;

/** Programs of the helper containers; the entry points are subcommands of the image's command. */
const HELPER_COMMAND = ['turnsole', 'workflow-helper'] as const;

/** Settings without a configuration, with the image whose programs work in helper containers. */
export function defaultSettings(image: string): WorkflowSettings {
  const command = (name: string): readonly string[] => [...HELPER_COMMAND, name];
  return {
    pods: {
      helper: {
        image,
        commands: {
          init: command('init'),
          wait: command('wait'),
          resource: command('resource'),
          data: command('data'),
          garbage: command('garbage'),
        },
      },
    },
  };
}
