import { splitList } from '@turnsole/kube/text/split-list';
/** One entry of TARGETS: the pods of workloads of a kind in a namespace, by names or by a label selector. */
export interface TargetEntry {
  /** Lower case: deployment, statefulset, daemonset, deploymentconfig, rollout, pod…; `KIND` means any kind. */
  readonly kind: string;
  readonly namespace: string;
  readonly names: readonly string[];
  /** A Kubernetes label selector; all its requirements must hold. */
  readonly selector: string | undefined;
}

/** The text found in place of an entry, and what was expected. */
interface TargetsProblem {
  readonly found: string;
  readonly expected: string;
}

/** The entries, and every part that is none. */
interface ParsedTargets {
  readonly entries: readonly TargetEntry[];
  readonly problems: readonly TargetsProblem[];
}

/** The kind that stands for all pods of a namespace. */
export const ANY_KIND = 'KIND';

/**
 * Reads TARGETS: `kind:namespace:[list];…`.
 *
 * Two differences from upstream, both on purpose. Several labels must all hold, as in every Kubernetes selector, where
 * upstream merges the pods of each label (`a=b,c=d` is AND here, OR there). And set-based selectors (`tier in (a,b)`,
 * `!canary`) are selectors, where upstream takes them for names.
 */
export function parseTargets(text: string): ParsedTargets {
  const entries: TargetEntry[] = [];
  const problems: TargetsProblem[] = [];
  for (const part of text.split(';').map((item) => item.trim())) {
    if (part === '') continue;
    const entry = parseEntry(part);
    if (entry === undefined) {
      problems.push({ found: part, expected: 'kind:namespace:[names or labels]' });
    } else {
      entries.push(entry);
    }
  }
  return { entries, problems };
}

function parseEntry(part: string): TargetEntry | undefined {
  const match = /^([^:]*):([^:]*):(.*)$/s.exec(part);
  const [kind, namespace, list] = [match?.[1]?.trim(), match?.[2]?.trim(), match?.[3]?.trim()];
  if (kind === undefined || namespace === undefined || list === undefined) return undefined;
  if (kind === '' || namespace === '') return undefined;
  const inner = list.replace(/^\[/, '').replace(/\]$/, '').trim();
  const isSelector = /[=!(]/.test(inner);
  return {
    kind: kind === ANY_KIND ? ANY_KIND : kind.toLowerCase(),
    namespace,
    names: isSelector ? [] : splitList(inner),
    selector: isSelector ? inner : undefined,
  };
}

/** An entry as it stands in TARGETS, for messages. */
export function formatEntry(entry: TargetEntry): string {
  return `${entry.kind}:${entry.namespace}:[${entry.selector ?? entry.names.join(',')}]`;
}
