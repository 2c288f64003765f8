import { type MergeKeys, mergeByKeys, StrategicMergeError } from '@turnsole/kube/text/strategic-merge';
import type { Template } from './template.ts';
import { TEMPLATE_TYPES } from './template-type.ts';
import type { WorkflowSpec } from './workflow.ts';

/** Lists of a template and of the defaults cannot be merged; the status of the node shows `message`. */
export class TemplateDefaultsError extends Error {
  override readonly name = 'TemplateDefaultsError';
}

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
 * @throws TemplateDefaultsError for lists that cannot be merged
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
    throw new TemplateDefaultsError(
      `cannot merge template ${template.name ?? ''} with templateDefaults: ${error.message}`,
      { cause: error },
    );
  }
}
