import { objectKey } from '@turnsole/kube/kinds/core';
import type { Informer } from '@turnsole/kube/runtime/index';
import { parseTime } from '@turnsole/kube/text/time';
import {
  LABEL_CLUSTER_WORKFLOW_TEMPLATE,
  LABEL_CRON_WORKFLOW,
  LABEL_WORKFLOW_TEMPLATE,
} from '@turnsole/workflows/kinds/labels';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';

const LABELS = [LABEL_WORKFLOW_TEMPLATE, LABEL_CLUSTER_WORKFLOW_TEMPLATE, LABEL_CRON_WORKFLOW];

/** A workflow whose durations are those that another one is likely to have. */
interface Baseline {
  /** `namespace/name`. */
  readonly key: string;
  /** When it was created, in milliseconds since 1970. */
  readonly createdAt: number;
}

/**
 * The newest workflow that succeeded, of each template and each CronWorkflow of a namespace, as labels say. Keeps one name for each of them,
 * however many workflows there were.
 */
export class Baselines {
  readonly #workflows: Pick<Informer<Workflow>, 'addHandler' | 'lister'>;
  readonly #newest = new Map<string, Baseline>();

  constructor(workflows: Pick<Informer<Workflow>, 'addHandler' | 'lister'>) {
    this.#workflows = workflows;
    workflows.addHandler({
      onAdd: (workflow) => this.#note(workflow),
      onUpdate: (workflow, old) => {
        this.#note(workflow);
        const left = new Set(groupsOf(old)).difference(new Set(groupsOf(workflow)));
        this.#forget(old, left);
      },
      onDelete: (workflow) => this.#forget(workflow, groupsOf(workflow)),
    });
  }

  /** The newest one for a workflow; undefined when none exists, or the workflow has no such label. */
  of(workflow: Pick<Workflow, 'metadata'>): Baseline | undefined {
    const found = labelled(workflow).flatMap((group) => this.#newest.get(group) ?? []);
    return found.reduce<Baseline | undefined>((best, one) => newer(best, one), undefined);
  }

  #note(workflow: Workflow): void {
    for (const group of groupsOf(workflow))
      this.#newest.set(group, newer(this.#newest.get(group), baselineOf(workflow)));
  }

  /** A workflow is in these groups no more; where it was the newest, another one is now. */
  #forget(workflow: Workflow, groups: Iterable<string>): void {
    const key = objectKey(workflow);
    for (const group of groups) {
      if (this.#newest.get(group)?.key !== key) continue;
      this.#newest.delete(group);
      for (const other of this.#workflows.lister.list())
        if (groupsOf(other).includes(group))
          this.#newest.set(group, newer(this.#newest.get(group), baselineOf(other)));
    }
  }
}

/** Groups in which a workflow may be the newest. */
function groupsOf(workflow: Workflow): string[] {
  return workflow.status?.phase === 'Succeeded' ? labelled(workflow) : [];
}

function labelled({ metadata: { namespace = '', labels = {} } }: Pick<Workflow, 'metadata'>): string[] {
  return LABELS.flatMap((label) => {
    const name = labels[label] ?? '';
    return name === '' ? [] : [`${namespace}/${label}=${name}`];
  });
}

function baselineOf(workflow: Workflow): Baseline {
  return { key: objectKey(workflow), createdAt: parseTime(workflow.metadata.creationTimestamp) ?? 0 };
}

function newer(known: Baseline | undefined, other: Baseline): Baseline {
  if (known === undefined || other.createdAt > known.createdAt) return other;
  // Times of objects are whole seconds; of two of one second the order of their names is as good as any, and always the same.
  return other.createdAt === known.createdAt && other.key > known.key ? other : known;
}
