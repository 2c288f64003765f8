import type { Node, Pod } from '@turnsole/kube/kinds/core';
import { isEmptySelector, matchesSelector } from '@turnsole/kube/text/label-selector';
import type { PodAffinityTerm } from '../controllers/shared/types.ts';

/** Labels of a namespace, for terms that choose namespaces by selector. */
export type NamespaceLabels = (namespace: string) => Readonly<Record<string, string>> | undefined;

/** A placed pod and its node. */
export interface Placed {
  readonly pod: Pod;
  readonly node: Node;
}

/** Whether a term of one pod is about another pod: its labels and its namespace. */
export function isTermAbout(
  term: PodAffinityTerm,
  owner: Pod,
  other: Pod,
  namespaceLabels: NamespaceLabels,
): boolean {
  const namespace = other.metadata.namespace ?? '';
  const named = term.namespaces ?? [];
  const isNamed =
    named.length === 0 && term.namespaceSelector === undefined
      ? namespace === owner.metadata.namespace
      : named.includes(namespace) ||
        (term.namespaceSelector !== undefined &&
          (isEmptySelector(term.namespaceSelector) ||
            matchesSelector(term.namespaceSelector, namespaceLabels(namespace))));
  return isNamed && matchesSelector(term.labelSelector, other.metadata.labels);
}

/** Value of a topology key; nodes without it belong to no domain. */
export function domainOf(node: Node, topologyKey: string): string | undefined {
  return node.metadata.labels?.[topologyKey];
}

/** What required pod (anti-)affinity means for one pod, worked out once for all nodes. */
interface AffinityRules {
  /** The first rule the node breaks, as it stands in the scheduler's message. */
  violation(node: Node): string | undefined;
}

const NO_RULES: AffinityRules = { violation: () => undefined };

/** One required term: the domains in which a pod that it is about is placed. */
interface TermDomains {
  readonly topologyKey: string;
  readonly domains: ReadonlySet<string>;
  /** No such pod is placed anywhere, and the term is about the pod itself: the first of a group may go anywhere. */
  readonly isFirst: boolean;
}

/** The rules for a pod, given the placed pods. @param objectors placed pods with required anti-affinity */
export function affinityRules(
  pod: Pod,
  placed: () => Iterable<Placed>,
  objectors: Iterable<Placed>,
  namespaceLabels: NamespaceLabels,
): AffinityRules {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  const required = podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const forbidden = podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const objections = objectionsTo(pod, objectors, namespaceLabels);
  if (required.length + forbidden.length + objections.length === 0) return NO_RULES;
  const everybody = required.length + forbidden.length > 0 ? [...placed()] : [];
  const domains = (terms: readonly PodAffinityTerm[]) =>
    terms.map((term) => termDomains(term, pod, everybody, namespaceLabels));
  const wanted = domains(required);
  const unwanted = domains(forbidden);
  return {
    violation: (node) => {
      const isIn = ({ topologyKey, domains }: TermDomains) => domains.has(domainOf(node, topologyKey) ?? '');
      const isSatisfied = (term: TermDomains) =>
        domainOf(node, term.topologyKey) !== undefined && (term.isFirst || isIn(term));
      if (!wanted.every(isSatisfied)) return "node(s) didn't match pod affinity rules";
      if (unwanted.some(isIn)) return "node(s) didn't match pod anti-affinity rules";
      const isObjected = objections.some(({ key, value }) => domainOf(node, key) === value);
      return isObjected ? "node(s) didn't satisfy existing pods anti-affinity rules" : undefined;
    },
  };
}

function termDomains(
  term: PodAffinityTerm,
  pod: Pod,
  placed: readonly Placed[],
  namespaceLabels: NamespaceLabels,
): TermDomains {
  const domains = new Set<string>();
  for (const other of placed) {
    const domain = domainOf(other.node, term.topologyKey);
    if (domain !== undefined && isTermAbout(term, pod, other.pod, namespaceLabels)) domains.add(domain);
  }
  const isFirst = domains.size === 0 && isTermAbout(term, pod, pod, namespaceLabels);
  return { topologyKey: term.topologyKey, domains, isFirst };
}

/** Domains in which a placed pod does not want this one. */
function objectionsTo(
  pod: Pod,
  objectors: Iterable<Placed>,
  namespaceLabels: NamespaceLabels,
): { readonly key: string; readonly value: string }[] {
  const objections: { key: string; value: string }[] = [];
  for (const other of objectors) {
    const { podAntiAffinity } = other.pod.spec?.affinity ?? {};
    for (const term of podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []) {
      const value = domainOf(other.node, term.topologyKey);
      if (value !== undefined && isTermAbout(term, other.pod, pod, namespaceLabels)) {
        objections.push({ key: term.topologyKey, value });
      }
    }
  }
  return objections;
}
