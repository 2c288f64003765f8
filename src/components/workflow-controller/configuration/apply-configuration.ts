import type { WorkflowSettings } from '../settings.ts';
import type { Configuration } from './configuration.ts';

/** The settings of the controller, overridden by its configuration. Pure. */
export function withConfiguration(base: WorkflowSettings, configuration: Configuration): WorkflowSettings {
  const { executor = {}, artifactRepository, nodeEvents, workflowEvents } = configuration;
  const { workflowDefaults, parallelism, namespaceParallelism, podRate, retention } = configuration;
  const { images, mainContainer, podGcGraceSeconds, podGcDeleteDelay, podSpecLog, plugins } = configuration;
  const { imagePullPolicy, resources } = executor;
  const { helper } = base.pods;
  const archiveLogs = artifactRepository?.['archiveLogs'];
  return {
    ...base,
    ...(workflowDefaults && { workflowDefaults }),
    ...(parallelism !== undefined && { parallelism }),
    ...(namespaceParallelism !== undefined && { namespaceParallelism }),
    ...(podRate && { podRate }),
    ...(retention && { retention }),
    ...(podSpecLog && { podSpecLog }),
    ...(podGcGraceSeconds !== undefined && { podGcGraceSeconds }),
    ...(artifactRepository && { artifactRepository }),
    ...(plugins && { tasks: { ...base.tasks, plugins } }),
    events: { ...base.events, ...nodeEvents, ...workflowEvents },
    pods: {
      ...base.pods,
      ...(images && { images }),
      ...(mainContainer && { mainContainer }),
      ...(podGcDeleteDelay !== undefined && { podGcDeleteDelay }),
      ...(typeof archiveLogs === 'boolean' && { archiveLogs }),
      helper: {
        ...helper,
        // The flag -executor-image-pull-policy wins.
        ...(imagePullPolicy !== undefined && helper.imagePullPolicy === undefined && { imagePullPolicy }),
        ...(resources && { resources }),
      },
    },
  };
}
