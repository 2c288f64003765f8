import { withoutStop } from '../error-words.ts';
import type { WorkflowFacts } from './facts.ts';

const BROKEN: readonly string[] = ['Failed', 'Error'];

/** Nodes that only group others, or repeat them. */
const GROUPS: readonly string[] = ['Steps', 'StepGroup', 'DAG', 'TaskGroup', 'Retry'];

/** Names in a sentence: more would hide what matters. */
const MOST_NAMED = 3;

/**
 * Why a workflow never began: its controller refused its spec, or ended it before its first node. LitmusChaos' agents report such a run as
 * Completed, without nodes; a workflow that did anything has one. Undefined for one that began. Pure.
 */
export function refusalOf({ phase, message, nodes }: WorkflowFacts): string | undefined {
  if (nodes.length > 0) return undefined;
  const said = withoutStop(message);
  const invalid = /^invalid spec: (.*)$/s.exec(said)?.[1];
  if (invalid !== undefined) return `the workflow was refused: ${invalid}`;
  if (said !== '') return `the workflow never began: ${said}`;
  return BROKEN.includes(phase) ? 'the workflow never began, and its controller gave no reason' : undefined;
}

/**
 * What broke a workflow that did not succeed: the steps that failed by themselves, else its own message; undefined for one that succeeded.
 * Steps with an engine are judged by that. Pure.
 */
export function brokenSteps({ phase, message, nodes }: WorkflowFacts): string | undefined {
  if (!BROKEN.includes(phase))
    return phase === 'Succeeded' ? undefined : `the workflow ended as ${phase || 'unknown'}`;
  const own = lastAttempts(nodes).filter(
    (node) => BROKEN.includes(node.phase) && !GROUPS.includes(node.type),
  );
  // A group says only that one of its members failed.
  const isOfChild = /^child '.*' failed$/.test(message);
  if (own.length === 0)
    return message === '' || isOfChild
      ? 'the workflow failed without a reason'
      : `the workflow failed: ${message}`;
  const sentences = [...new Set(own.map(sentenceOf))];
  const left = sentences.length - MOST_NAMED;
  return [...sentences.slice(0, MOST_NAMED), ...(left > 0 ? [`${left} more steps failed`] : [])].join(', ');
}

type Step = WorkflowFacts['nodes'][number];

/** Without the attempts of a `retryStrategy` that others followed: a step that succeeded at last has not failed. */
function lastAttempts(nodes: readonly Step[]): Step[] {
  const retries = new Map(
    nodes.filter(({ type }) => type === 'Retry').map((node) => [node.displayName, node]),
  );
  const kept = new Map<string, Step>();
  for (const node of nodes) {
    const retried = node.displayName.replace(/\(\d+\)$/, '');
    const retry = node.type === 'Retry' ? undefined : retries.get(retried);
    if (retry === undefined) kept.set(`${kept.size}`, node);
    else if (BROKEN.includes(retry.phase)) kept.set(`retry ${retried}`, { ...node, displayName: retried });
  }
  return [...kept.values()];
}

/** `smoke-test ended with exit code 3`; of another reason its message. */
function sentenceOf({ displayName, phase, message = '' }: Step): string {
  const [, reason = '', code, more = ''] =
    /^(?:[\w.-]+: )?(\w+) \(exit code (\d+)\)(?:: (.*))?$/s.exec(message) ?? [];
  if (code !== undefined) {
    const known = [...(reason === 'Error' ? [] : [reason]), ...(more === '' ? [] : [withoutStop(more)])].join(
      ': ',
    );
    return `${displayName} ended with exit code ${code}${known === '' ? '' : ` (${known})`}`;
  }
  const verb = phase === 'Error' ? 'could not run' : 'failed';
  return message === '' ? `${displayName} ${verb}` : `${displayName} ${verb}: ${withoutStop(message)}`;
}
