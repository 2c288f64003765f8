import { parseTime } from '@turnsole/kube/text/time';
import { isOverPhase } from '@turnsole/workflows/kinds/completed';
import { decodeWorkflow } from '@turnsole/workflows/kinds/decode/workflow';
import { isPodOf } from '@turnsole/workflows/kinds/pod-names';
import type { NodePhase, NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { TemplateLibrary } from '@turnsole/workflows/validation/library';
import type { ChaosEngine, ChaosResult } from '../../api/index.ts';
import { LABEL_STEP_POD, LABEL_WORKFLOW_RUN_ID } from '../../api/labels.ts';
import { innerObjects } from './inside/inner-objects.ts';
import { plannedSteps } from './inside/planned-steps.ts';
import { nodesOf } from './nodes.ts';

/** An engine that a step brings along, as far as its name is known. */
interface ExpectedEngine {
  /** The template of the step. */
  readonly template: string;
  readonly namespace: string | undefined;
  readonly name: string;
  /** Whether the name only begins so. */
  readonly isPrefix: boolean;
  /** `artifact pod-delete`. */
  readonly source: string;
}

/** Recognises the engines of a workflow. */
export interface EnginesOf {
  /** Namespaces in which they may be, that of the workflow first. */
  readonly namespaces: readonly string[];
  has(engine: ChaosEngine): boolean;
  /** Whether a result is of one of them; results outlive their engine. */
  hasResult(result: ChaosResult): boolean;
  /** Whether its steps bring along more than one. */
  readonly areSeveral: boolean;
  /**
   * The step that made one of them, by the name that people see: the one that its label names, else the only one whose template brings it along.
   * Undefined where neither says it.
   */
  stepOf(current: Workflow, engine: Pick<ChaosEngine, 'metadata'>): string | undefined;
  /**
   * Engines that steps of the ended workflow bring along, and none was made: each with its step, for people. The step has begun (one that
   * failed counts too, as `continueOn` lets the workflow succeed), or the workflow failed before it came to it. Nothing is known of such chaos,
   * so it is no pass.
   */
  notMade(ended: Workflow, made: readonly ChaosEngine[]): string[];
}

/**
 * The engines that a workflow has made: by the label of Litmus, by owner, else by the names in its artifacts and manifests, when they were
 * made after it. Pure but for the library's look-ups.
 */
export function enginesOf(workflow: Workflow, library: TemplateLibrary): EnginesOf {
  const { uid, namespace = '', creationTimestamp } = workflow.metadata;
  const since = parseTime(creationTimestamp) ?? 0;
  const expected = expectedEngines(workflow, library);
  const isExpected = (place: string | undefined, name: string): boolean =>
    expected.some((one) => isCalled(one, place, name));
  const isLater = (time: string | undefined): boolean => (parseTime(time) ?? 0) >= since;
  return {
    namespaces: [...new Set([namespace, ...expected.flatMap((one) => one.namespace ?? [])])],
    has: ({ metadata }) => {
      const run = metadata.labels?.[LABEL_WORKFLOW_RUN_ID];
      if (run !== undefined) return run === uid;
      if (metadata.ownerReferences?.some((owner) => owner.uid === uid)) return true;
      return isLater(metadata.creationTimestamp) && isExpected(metadata.namespace, metadata.name);
    },
    hasResult: ({ metadata, spec }) =>
      // A result of an earlier run is written again by a later one; its steps have times.
      spec?.engine !== undefined && isExpected(metadata.namespace, spec.engine),
    areSeveral: expected.length > 1,
    stepOf: (current, { metadata: { name, namespace: place, labels } }) => {
      const pods = Object.values(nodesOf(current)).filter(({ type }) => type === 'Pod');
      const named = pods.find((node) => isPodOf(current, node, labels?.[LABEL_STEP_POD]));
      if (named !== undefined) return named.displayName;
      const templates = expected.filter((one) => isCalled(one, place, name)).map((one) => one.template);
      const [only, ...others] = pods.filter((node) => templates.includes(templateNameOf(node)));
      return others.length === 0 ? only?.displayName : undefined;
    },
    notMade: (ended, made) => {
      const nodes = Object.values(nodesOf(ended));
      const templatesOf = (isMeant: (phase: NodePhase) => boolean): Set<string> =>
        new Set(nodes.filter(({ phase }) => isMeant(phase)).map(templateNameOf));
      const begun = templatesOf(isOverPhase);
      const leftOut = templatesOf((phase) => phase === 'Skipped' || phase === 'Omitted');
      const { phase } = ended.status ?? {};
      const isCutShort = isOverPhase(phase) && phase !== 'Succeeded';
      const wasDue = ({ template }: ExpectedEngine): boolean =>
        begun.has(template) || (isCutShort && !leftOut.has(template));
      return expected
        .filter(
          (one) =>
            wasDue(one) && !made.some(({ metadata }) => isCalled(one, metadata.namespace, metadata.name)),
        )
        .map((one) => `${one.name}${one.isPrefix ? '*' : ''} (${one.source} of template ${one.template})`);
    },
  };
}

function templateNameOf({ templateName, templateRef }: NodeStatus): string {
  return templateName || templateRef?.template || 'inline';
}

function isCalled(one: ExpectedEngine, namespace: string | undefined, name: string): boolean {
  return (
    (one.namespace === undefined || one.namespace === namespace) &&
    (one.isPrefix ? name.startsWith(one.name) : name === one.name)
  );
}

function expectedEngines(workflow: Workflow, library: TemplateLibrary): ExpectedEngine[] {
  const { namespace } = workflow.metadata;
  const decoded = decodeWorkflow({ ...workflow, spec: specInForce(workflow) });
  return innerObjects(plannedSteps(decoded, library))
    .filter(({ object }) => object.kind === 'ChaosEngine' && object.apiVersion.startsWith('litmuschaos.io/'))
    .map(({ step, source, object, into, unknown }) => {
      const fields = new Set(unknown.map(([field]) => field));
      const { metadata } = object;
      const text = metadata.name ?? metadata.generateName ?? '';
      const known = /^(.*?)known-at-run-time-\d+/s.exec(text)?.[1];
      return {
        template: step.template,
        source,
        namespace: fields.has('metadata.namespace') ? undefined : (metadata.namespace ?? into ?? namespace),
        name: known ?? text,
        isPrefix: known !== undefined || metadata.name === undefined,
      };
    });
}

/** The spec in force: for a workflow that refers to a whole template, the copy that was stored when it began. */
function specInForce({ spec, status }: Workflow): Workflow['spec'] {
  const stored = status?.storedWorkflowTemplateSpec;
  if (stored === undefined) return spec;
  const { workflowTemplateRef: _, ...merged } = { ...stored, ...spec };
  return merged;
}
