import type { Container } from '@turnsole/kube/kinds/core';
import type { ImageCommand } from '@turnsole/workflows/pods/settings';
import type { TaskSettings } from '../../workflow-helper/tasks/task-runner.ts';
import type { EventSettings } from '../events/events-of.ts';
import type { WorkflowSettings } from '../settings.ts';

/** The settings in the ConfigMap; an absent field has its default. */
export interface Configuration
  extends Pick<
    WorkflowSettings,
    | 'workflowDefaults'
    | 'parallelism'
    | 'namespaceParallelism'
    | 'podRate'
    | 'podGcGraceSeconds'
    | 'retention'
    | 'podSpecLog'
  > {
  /** Counts at the start only. */
  readonly instanceId?: string;
  /** Counts at the start only. */
  readonly namespace?: string;
  /** Counts at the start only. */
  readonly initialDelayMs?: number;
  readonly images?: Readonly<Record<string, ImageCommand>>;
  readonly mainContainer?: Partial<Container>;
  /** Settings of helper containers. */
  readonly executor?: Pick<Container, 'imagePullPolicy' | 'resources'>;
  readonly artifactRepository?: Readonly<Record<string, unknown>>;
  /** Servers of plugin templates, by name. */
  readonly plugins?: NonNullable<TaskSettings['plugins']>;
  readonly podGcDeleteDelay?: string;
  readonly nodeEvents?: Pick<EventSettings, 'nodes' | 'asPod'>;
  readonly workflowEvents?: Pick<EventSettings, 'workflows'>;
  /** Whether metrics are served at all. */
  readonly metrics?: MetricsConfiguration;
}

export interface MetricsConfiguration {
  /** @default true */
  readonly enabled?: boolean;
  /** @default /metrics */
  readonly path?: string;
  /** @default 9090 */
  readonly port?: number;
  /** Custom metrics that were not set for so long are no longer shown. @default never */
  readonly ttlMs?: number;
  /** Whether the names of Argo 3.3 to 3.5 are left out. Counts at the start only. @default false */
  readonly withoutLegacy?: boolean;
}

/** Something about a key that people should know. */
export interface ConfigurationNote {
  readonly key: string;
  /** What is wrong, and what to do. */
  readonly text: string;
  /** Whether the configuration cannot be used for it. */
  readonly isRefusal: boolean;
}

/** A configuration that cannot be used: every reason, with its key. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}
