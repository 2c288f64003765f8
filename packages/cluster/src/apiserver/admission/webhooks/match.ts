/** Whether a webhook or an admission policy is about a write. Pure. Source: kubernetes.io, Matching requests. */
import { matchesLabels } from '@turnsole/kube/text/label-selector';
import type { ApiObject } from '../../object.ts';
import type { ServedKind } from '../../registry/registry.ts';
import type { Rule, Selection } from './configured.ts';
import type { Subject } from './subject.ts';

/** Facts that matching needs besides the write. */
export interface Surroundings {
  /** Labels of the namespace the object is in; of the object itself if that is a namespace; undefined for cluster-wide ones. */
  readonly namespaceLabels: Readonly<Record<string, string>> | undefined;
  /** The kinds in which the same objects are served, that of the request first. */
  readonly equivalents: readonly ServedKind[];
}

/** The kind in whose form the object is to be seen; undefined when the write is not selected. */
export function matchSelection(
  selection: Selection,
  subject: Subject,
  around: Surroundings,
): ServedKind | undefined {
  const kinds = selection.isExact ? [subject.kind] : around.equivalents;
  const kind = kinds.find((served) => selection.rules.some((rule) => matchesRule(rule, served, subject)));
  if (kind === undefined) return undefined;
  const { namespaceLabels } = around;
  if (namespaceLabels !== undefined && !matchesLabels(selection.namespaces, namespaceLabels))
    return undefined;
  // What a write takes out of the selection concerns the webhook as well.
  const isSelected = [subject.object, subject.old].some((object) => isLabelled(selection, object));
  return isSelected ? kind : undefined;
}

function isLabelled({ objects }: Selection, object: ApiObject | undefined): boolean {
  return object !== undefined && matchesLabels(objects, object.metadata.labels);
}

/** Whether a write in the form of a kind is one that a rule names. */
export function matchesRule(rule: Rule, { definition, version }: ServedKind, subject: Subject): boolean {
  const isScoped = rule.scope === '*' || rule.scope === (definition.namespaced ? 'Namespaced' : 'Cluster');
  return (
    isScoped &&
    includes(rule.operations, subject.operation) &&
    includes(rule.groups, definition.group) &&
    includes(rule.versions, version.name) &&
    (rule.names.length === 0 || rule.names.includes(subject.name)) &&
    rule.resources.some((resource) => matchesResource(resource, definition.plural, subject.subresource))
  );
}

function includes(allowed: readonly string[], value: string): boolean {
  return allowed.includes('*') || allowed.includes(value);
}

function matchesResource(rule: string, plural: string, subresource: string): boolean {
  const [resource, sub = ''] = rule.split('/', 2);
  return (
    (resource === '*' || resource === plural) && (sub === subresource || (sub === '*' && rule.includes('/')))
  );
}
