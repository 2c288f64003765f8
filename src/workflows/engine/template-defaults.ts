import { type MergeKeys, mergeByKeys, StrategicMergeError } from '../../text/strategic-merge.ts';
import type { Template } from '../kinds/template.ts';
import { TEMPLATE_TYPES } from '../kinds/template-type.ts';
import type { WorkflowSpec } from '../kinds/workflow.ts';
import { NodeError } from './node-error.ts';

/** Lists of templates and containers that are merged, and their keys; others are replaced. */
const MERGE_KEYS: MergeKeys = {
  parameters: ['name'],
  artifacts: ['name'],
  tasks: ['name'],
  initContainers: ['name'],
  sidecars: ['name'],
  volumes: ['name'],
  hostAliases: ['ip'],
  env: ['name'],
  ports: ['containerPort'],
  volumeMounts: ['mountPath'],
  volumeDevices: ['devicePath'],
};

/**
 * A template over the defaults of the workflow, by a strategic merge. Of the defaults, only the type that the template is of counts. Pure.
 *
 * @throws NodeError for lists that cannot be merged
 */
export function mergeDefaults(
  template: Template,
  { templateDefaults, retryStrategy }: WorkflowSpec,
): Template {
  const base: Record<string, unknown> = { ...templateDefaults };
  for (const type of TEMPLATE_TYPES) if (template[type] === undefined) delete base[type];
  if (base['retryStrategy'] === undefined && retryStrategy !== undefined)
    base['retryStrategy'] = retryStrategy;
  if (Object.keys(base).length === 0) return template;
  try {
    return mergeByKeys(base, template, MERGE_KEYS) as Template;
  } catch (error) {
    if (!(error instanceof StrategicMergeError)) throw error;
    throw new NodeError(
      `cannot merge template ${template.name ?? ''} with templateDefaults: ${error.message}`,
    );
  }
}
