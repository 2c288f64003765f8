import { isConflict } from '@turnsole/kube/client/errors';
import type { FreshView } from '@turnsole/kube/controllers/fresh-view';
import type { EventNote } from '@turnsole/kube/controllers/plan';
import type { BasicsWithRandom } from '@turnsole/kube/runtime/basics';
import type { Reconcile } from '@turnsole/kube/runtime/controller';
import { isBeingDeleted } from '@turnsole/kube/runtime/finalizers';
import { controllerOf } from '@turnsole/kube/runtime/index';
import { equalJson } from '@turnsole/kube/text/json';
import {
  type CronAction,
  type CronClock,
  type CronDecision,
  decideCron,
  withSubmissionError,
  withSubmitted,
} from '@turnsole/workflows/cron/decide-cron';
import { validateCronWorkflow } from '@turnsole/workflows/cron/validate-cron';
import { FUNCTIONS } from '@turnsole/workflows/engine/substitution/functions';
import type { CronWorkflow, CronWorkflowStatus } from '@turnsole/workflows/kinds/cron-workflow';
import { decodeCronWorkflow } from '@turnsole/workflows/kinds/decode/workflow';
import { CRON_WORKFLOWS, WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { TemplateLibrary } from '@turnsole/workflows/validation/library';
import { deleteObject } from '../cleanup/delete-object.ts';
import { BY_CRON_WORKFLOW } from './children.ts';
import { statusPatch, submit, terminate } from './cron-writes.ts';

/** Counts events of CronWorkflows; see ../metrics. */
export interface CronObserver {
  /** One is seen for the first time, or with another spec. @param cron as served */
  seen(cron: CronWorkflow): void;
  triggered(cron: CronWorkflow): void;
  policyApplied(cron: CronWorkflow, policy: string): void;
  failed(cause: 'CronWorkflowSubmissionError' | 'CronWorkflowSpecError'): void;
}

interface CronReconcilerOptions extends BasicsWithRandom {
  readonly crons: FreshView<CronWorkflow>;
  /** With the index {@link BY_CRON_WORKFLOW}. */
  readonly workflows: FreshView<Workflow>;
  /** The templates that workflows of a namespace may refer to. */
  readonly libraryOf: (namespace: string) => TemplateLibrary;
  readonly emit: (cron: CronWorkflow, event: EventNote) => void;
  readonly observer: CronObserver | undefined;
}

/** What this process remembers of a CronWorkflow between two passes. */
interface Memory {
  readonly uid: string | undefined;
  clock?: CronClock | undefined;
  /** The spec whose problems were reported last, so that each is reported once. */
  judged?: CronWorkflow['spec'];
}

/**
 * Gather, decide, apply for one CronWorkflow.
 *
 * The order of the writes keeps a time from being run twice, whenever the process is killed: first the workflow, whose name follows from
 * its time; then the status, which records it; then the deletion of older workflows, which only the status knows of afterwards.
 */
export class CronReconciler {
  readonly #options: CronReconcilerOptions;
  readonly #memory = new Map<string, Memory>();

  constructor(options: CronReconcilerOptions) {
    this.#options = options;
  }

  readonly reconcile: Reconcile = async ({ key }, signal) => {
    const { crons, clock } = this.#options;
    const raw = crons.get(key);
    if (raw === undefined || isBeingDeleted(raw)) {
      this.#memory.delete(key);
      return undefined;
    }
    const memory = this.#memoryOf(key, raw);
    let cron = decodeCronWorkflow(raw);
    this.#judge(cron, raw, memory);
    await this.#confirmActive(cron, signal);
    let decision = this.#decide(cron, memory);
    if (decision.due !== undefined) {
      // The copy may be behind: a client may have suspended it, and another process may have seen to this time.
      const fresh = await this.#readAgain(cron, signal);
      if (fresh === undefined) return undefined;
      cron = fresh;
      await this.#confirmActive(cron, signal);
      decision = this.#decide(cron, memory, this.#problemOf(cron));
    }
    try {
      await this.#apply(cron, decision, signal);
    } catch (error) {
      if (!isConflict(error)) throw error;
      await this.#readAgain(cron, signal);
      return { requeueAfterMs: 0 };
    }
    memory.clock = decision.clock;
    return { requeueAfterMs: decision.wakeAt && Math.max(0, decision.wakeAt - clock.now()) };
  };

  #memoryOf(key: string, { metadata: { uid } }: CronWorkflow): Memory {
    const known = this.#memory.get(key);
    if (known?.uid === uid && known !== undefined) return known;
    const memory: Memory = { uid };
    this.#memory.set(key, memory);
    return memory;
  }

  #decide(cron: CronWorkflow, memory: Memory, specProblem?: string): CronDecision {
    const { clock, random, workflows } = this.#options;
    const { name, namespace = '', uid } = cron.metadata;
    const now = clock.now();
    const children = workflows
      .byIndex(BY_CRON_WORKFLOW, `${namespace}/${name}`)
      .filter((child) => isOf(child, uid));
    const options = { now: () => now, random, functions: FUNCTIONS };
    return decideCron({ cron, children, clock: memory.clock, specProblem, options }, now);
  }

  /**
   * Workflows that the status calls active and the copy does not show: gone, or made by another process and not in the copy yet. Those must
   * not be dropped from the status, as their end would never be counted.
   */
  async #confirmActive({ metadata, status }: CronWorkflow, signal: AbortSignal): Promise<void> {
    const { client, workflows } = this.#options;
    const { namespace = '' } = metadata;
    for (const { name = '', uid } of status?.active ?? []) {
      if (workflows.get(`${namespace}/${name}`)?.metadata.uid === uid) continue;
      const found = await client.find<Workflow>(WORKFLOWS, name, { namespace, signal });
      if (found?.metadata.uid === uid && found !== undefined) workflows.wrote(found);
    }
  }

  #problemOf(cron: CronWorkflow): string | undefined {
    const { namespace = '' } = cron.metadata;
    const problems = validateCronWorkflow(cron, this.#options.libraryOf(namespace));
    return problems.length === 0 ? undefined : problems.map(({ text }) => text).join('; ');
  }

  /** Reports a spec that cannot be run, once. */
  #judge(cron: CronWorkflow, raw: CronWorkflow, memory: Memory): void {
    if (equalJson(memory.judged, cron.spec)) return;
    memory.judged = cron.spec;
    this.#options.observer?.seen(raw);
    const problem = this.#problemOf(cron);
    if (problem === undefined) return;
    const { logger, emit } = this.#options;
    const { namespace, name } = cron.metadata;
    logger.error(
      { cronWorkflow: `${namespace}/${name}`, problem },
      'a CronWorkflow is malformed and starts nothing',
    );
    emit(cron, { type: 'Warning', reason: 'Malformed', message: problem });
  }

  async #readAgain({ metadata }: CronWorkflow, signal: AbortSignal): Promise<CronWorkflow | undefined> {
    const { client, crons } = this.#options;
    const { name, namespace, uid } = metadata;
    const found = await client.find<CronWorkflow>(CRON_WORKFLOWS, name, { namespace, signal });
    if (found === undefined || found.metadata.uid !== uid) return undefined;
    crons.wrote(found);
    return isBeingDeleted(found) ? undefined : decodeCronWorkflow(found);
  }

  async #apply(cron: CronWorkflow, decision: CronDecision, signal: AbortSignal): Promise<void> {
    const { client, crons, observer } = this.#options;
    const { name, namespace } = cron.metadata;
    let { status } = decision;
    for (const action of decision.actions) {
      if (action.kind === 'terminate') await terminate(client, namespace, action.name, signal);
      if (action.kind === 'submit') status = await this.#submit(cron, action.workflow, status, signal);
    }
    const patch = statusPatch(cron, decision, status);
    if (patch !== undefined)
      crons.wrote(
        await client.patch<CronWorkflow>(CRON_WORKFLOWS, name, 'merge', patch, { namespace, signal }),
      );
    if (decision.policy !== undefined) observer?.policyApplied(cron, decision.policy);
    if (decision.due !== undefined && hasSpecError(status)) observer?.failed('CronWorkflowSpecError');
    for (const action of decision.actions) await this.#tidy(cron, action, signal);
  }

  async #submit(
    cron: CronWorkflow,
    workflow: Workflow,
    status: CronWorkflowStatus,
    signal: AbortSignal,
  ): Promise<CronWorkflowStatus> {
    const { client, workflows, logger, observer } = this.#options;
    const submitted = await submit(client, cron, workflow, signal);
    const fields = {
      cronWorkflow: `${cron.metadata.namespace}/${cron.metadata.name}`,
      workflow: workflow.metadata.name,
    };
    if (submitted.kind === 'refused') {
      logger.error({ ...fields, reason: submitted.reason }, 'a scheduled workflow could not be submitted');
      observer?.failed('CronWorkflowSubmissionError');
      return withSubmissionError(status, submitted.reason);
    }
    workflows.wrote(submitted.workflow);
    logger.info(fields, 'a scheduled workflow is submitted');
    observer?.triggered(cron);
    return withSubmitted(status, submitted.workflow);
  }

  async #tidy(cron: CronWorkflow, action: CronAction, signal: AbortSignal): Promise<void> {
    if (action.kind !== 'delete') return;
    const { client, workflows } = this.#options;
    const { namespace = '' } = cron.metadata;
    const child = workflows.get(`${namespace}/${action.name}`);
    if (child === undefined || isBeingDeleted(child)) return;
    await deleteObject(client, WORKFLOWS, child, { signal, propagationPolicy: 'Background' });
    workflows.removed(child);
  }
}

/** The workflows of an earlier CronWorkflow of that name are none of its own. */
function isOf(child: Workflow, uid: string | undefined): boolean {
  const owner = controllerOf(child);
  return owner === undefined || owner.uid === uid;
}

function hasSpecError({ conditions = [] }: CronWorkflowStatus): boolean {
  return conditions.some(({ type }) => type === 'SpecError');
}
