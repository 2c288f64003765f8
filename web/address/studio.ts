import { PARTS, type Part } from '../models/studio/check-draft.ts';
import type { Fields } from './codec.ts';
import { oneOf, text } from './fields.ts';

/** The reader's place in the studio. */
export interface StudioAddress {
  readonly part: Part;
  /** The step whose target, settings or checks are shown; empty for the first. */
  readonly step: string;
  /** How the order of the steps is shown. */
  readonly steps: 'list' | 'graph';
  readonly yaml: 'shown' | 'hidden';
  /** Start of a new experiment: a copy of one, by its id. */
  readonly copy: string;
  /** Or an experiment of a hub: `hub/name`. */
  readonly sample: string;
  /** Or one fault of a hub: `hub/category/name`. */
  readonly fault: string;
  /** What that fault is aimed at: a cluster and a workload with the label of its pods; empty for nothing. */
  readonly infra: string;
  readonly namespace: string;
  readonly kind: string;
  readonly label: string;
  readonly workload: string;
}

/** Codec of each part in links. */
export const STUDIO_ADDRESS: Fields<StudioAddress> = {
  part: oneOf(PARTS),
  step: text,
  steps: oneOf(['list', 'graph']),
  yaml: oneOf(['hidden', 'shown']),
  copy: text,
  sample: text,
  fault: text,
  infra: text,
  namespace: text,
  kind: text,
  label: text,
  workload: text,
};
