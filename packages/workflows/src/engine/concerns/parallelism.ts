import type { NodeStatus, NodeType } from '../../kinds/status.ts';
import type { Draft } from '../draft.ts';
import { frameOf } from '../frame-of.ts';
import { isActive } from '../node-state.ts';

export const FAIL_FAST_MESSAGE = 'template has failed or errored children and failFast enabled';

/** Whether a new node has to wait, because as many others run as may. */
export function blockedBy(draft: Draft, boundary: NodeStatus | undefined, type: NodeType): boolean {
  const { parallelism } = draft.run.spec;
  if (parallelism !== undefined && draft.index.pods >= parallelism && type !== 'Suspend') return true;
  if (boundary === undefined) return false;
  const { template } = frameOf(draft, boundary);
  return template.parallelism !== undefined && draft.index.active.get(boundary.id) >= template.parallelism;
}

/** Whether a template that wants to fail fast has a failed member. Its boundary is then over. */
export function hasFailedFast(draft: Draft, boundary: NodeStatus): boolean {
  const { template } = frameOf(draft, boundary);
  return template.failFast === true && draft.index.failed.get(boundary.id) > 0;
}

/** Ends a DAG node, or a group of steps, of which a member failed. */
export function failFast(draft: Draft, node: NodeStatus): void {
  draft.end(node, 'Failed', FAIL_FAST_MESSAGE);
}

/** Steps and DAG nodes that may have members waiting for a place, now that one is free. */
export function waitingForPlace(draft: Draft, ended: NodeStatus): NodeStatus[] {
  if (draft.run.spec.parallelism !== undefined) {
    return [...draft.unfulfilled()].filter(
      ({ type }) => type === 'Steps' || type === 'DAG' || type === 'Retry',
    );
  }
  const boundary = draft.boundaryOf(ended);
  if (boundary === undefined || !isActive(boundary)) return [];
  if (frameOf(draft, boundary).template.parallelism === undefined) return [];
  // Attempts stand in the same boundary as the node that is tried again.
  const retries = [...draft.unfulfilled()].filter(
    ({ type, boundaryID }) => type === 'Retry' && boundaryID === boundary.id,
  );
  return [boundary, ...retries];
}
