/** RBAC rules: what they cover. Source: kubernetes.io, Using RBAC Authorization. */
import { asJson, asObjects, asStrings, type Json } from '../object.ts';
import { type Attributes, resourceText } from './attributes.ts';

/** A rbac/v1 PolicyRule with every list present. */
export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** Rules of a role object. */
export function rulesOf(role: unknown): Rule[] {
  return asObjects(asJson(role).rules).map(toRule);
}

function toRule(rule: Json): Rule {
  return {
    verbs: asStrings(rule.verbs),
    apiGroups: asStrings(rule.apiGroups),
    resources: asStrings(rule.resources),
    resourceNames: asStrings(rule.resourceNames),
    nonResourceURLs: asStrings(rule.nonResourceURLs),
  };
}

function has(list: readonly string[], value: string): boolean {
  return list.includes(value) || list.includes('*');
}

/** Whether a rule allows the attributes. Namespaces are the bindings' business. */
export function ruleAllows(rule: Rule, attributes: Attributes): boolean {
  if (!has(rule.verbs, attributes.verb)) return false;
  if (!attributes.isResource) return rule.nonResourceURLs.some((url) => urlCovers(url, attributes.path));
  return (
    has(rule.apiGroups, attributes.group) &&
    rule.resources.some((resource) => resourceCovers(resource, attributes)) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(attributes.name))
  );
}

function resourceCovers(resource: string, attributes: Attributes): boolean {
  if (resource === '*' || resource === resourceText(attributes)) return true;
  return attributes.subresource !== '' && resource === `*/${attributes.subresource}`;
}

function urlCovers(url: string, path: string): boolean {
  if (url === '*' || url === path) return true;
  return url.endsWith('*') && path.startsWith(url.slice(0, -1));
}

/** The parts of `wanted` that no rule of `held` covers: what a user would gain. */
export function uncovered(held: readonly Rule[], wanted: readonly Rule[]): Rule[] {
  return wanted.flatMap(breakDown).filter((part) => !held.some((rule) => covers(rule, part)));
}

/** A rule as rules of one verb and one resource (or URL) each, which can be judged one by one. */
function breakDown(rule: Rule): Rule[] {
  const parts: Rule[] = [];
  for (const verb of rule.verbs) {
    for (const group of rule.apiGroups) {
      for (const resource of rule.resources) {
        const names = rule.resourceNames.length === 0 ? [undefined] : rule.resourceNames;
        for (const name of names) {
          parts.push({
            verbs: [verb],
            apiGroups: [group],
            resources: [resource],
            resourceNames: name === undefined ? [] : [name],
            nonResourceURLs: [],
          });
        }
      }
    }
    for (const url of rule.nonResourceURLs) {
      parts.push({ verbs: [verb], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [url] });
    }
  }
  return parts;
}

function covers(rule: Rule, part: Rule): boolean {
  const [verb = ''] = part.verbs;
  if (!has(rule.verbs, verb)) return false;
  const [url] = part.nonResourceURLs;
  if (url !== undefined) return rule.nonResourceURLs.some((held) => urlCovers(held, url));
  const [group = ''] = part.apiGroups;
  const [resource = ''] = part.resources;
  const [plural = '', subresource = ''] = resource.split('/');
  const holdsResource = rule.resources.some(
    (held) =>
      held === '*' ||
      held === resource ||
      (subresource !== '' && plural !== '*' && held === `*/${subresource}`),
  );
  if (!has(rule.apiGroups, group) || !holdsResource) return false;
  const [name] = part.resourceNames;
  return rule.resourceNames.length === 0 || (name !== undefined && rule.resourceNames.includes(name));
}

/** Rules for the same things joined into one with all their verbs. */
export function compactRules(rules: readonly Rule[]): Rule[] {
  const joined = new Map<string, Rule>();
  for (const rule of rules) {
    const { verbs: _verbs, ...rest } = rule;
    const key = JSON.stringify(rest);
    const known = joined.get(key);
    const verbs = known === undefined ? rule.verbs : [...new Set([...known.verbs, ...rule.verbs])];
    joined.set(key, { ...rule, verbs });
  }
  return [...joined.values()];
}

/** A rule as the real server prints it in messages. */
export function formatRule(rule: Rule): string {
  const list = (values: readonly string[]): string =>
    `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;
  const parts: string[] = [];
  if (rule.nonResourceURLs.length > 0) parts.push(`NonResourceURLs:${list(rule.nonResourceURLs)}`);
  if (rule.apiGroups.length > 0) parts.push(`APIGroups:${list(rule.apiGroups)}`);
  if (rule.resources.length > 0) parts.push(`Resources:${list(rule.resources)}`);
  if (rule.resourceNames.length > 0) parts.push(`ResourceNames:${list(rule.resourceNames)}`);
  parts.push(`Verbs:${list(rule.verbs)}`);
  return `{${parts.join(', ')}}`;
}
