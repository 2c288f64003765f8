import { parseDuration } from '@turnsole/kube/text/duration';
import { parseObject } from '@turnsole/kube/text/json';
import type { Parameter } from '../../kinds/parameters.ts';
import type { NodeStatus } from '../../kinds/status.ts';
import { mayStart, stoppedMessage } from '../concerns/shutdown.ts';
import type { Draft } from '../draft.ts';
import { frameOf } from '../frame-of.ts';
import { nodeMessage } from '../node-error.ts';

/** Begins a Suspend node: it runs until a client or its duration ends it. */
export function beginSuspend(draft: Draft, node: NodeStatus): void {
  if (!mayStart(draft, node)) {
    draft.end(node, 'Failed', stoppedMessage(draft.run.controls.shutdown));
    return;
  }
  const { template } = frameOf(draft, node);
  const supplied = (template.outputs?.parameters ?? []).filter(
    ({ valueFrom }) => valueFrom?.supplied !== undefined,
  );
  if (supplied.length === 0) return;
  draft.update(node, {
    outputs: { parameters: supplied.map((output) => withChoices(output, template.inputs?.parameters)) },
  });
}

/** An input of the same name gives default, choices and description. */
function withChoices(output: Parameter, inputs: readonly Parameter[] = []): Parameter {
  const input = inputs.find(({ name }) => name === output.name);
  if (input === undefined) return output;
  const choices = choicesIn(input.value) ?? input.enum;
  return {
    ...output,
    ...(input.value !== undefined && choicesIn(input.value) === undefined && { default: input.value }),
    ...(choices && { enum: choices }),
    ...(input.description !== undefined && { description: input.description }),
  };
}

function choicesIn(value: string | undefined): string[] | undefined {
  const choices = value?.startsWith('{') ? parseObject(value)?.['enum'] : undefined;
  return Array.isArray(choices) ? choices.map(String) : undefined;
}

/** When a Suspend node resumes by itself; undefined when only a client can resume it. */
export function resumesAt(draft: Draft, node: NodeStatus): number | undefined {
  const duration = frameOf(draft, node).template.suspend?.duration;
  if (duration === undefined || duration === '' || node.startedAt === undefined) return undefined;
  const text = String(duration);
  return Date.parse(node.startedAt) + (/^\d+$/.test(text) ? Number(text) * 1000 : parseDuration(text));
}

/** Ends a Suspend node whose time has come. */
export function visitSuspend(draft: Draft, node: NodeStatus): void {
  if (node.phase !== 'Running') return;
  try {
    const at = resumesAt(draft, node);
    if (at === undefined || draft.now < at) return;
    const missing = node.outputs?.parameters?.find(
      (parameter) =>
        parameter.value === undefined &&
        parameter.default === undefined &&
        parameter.valueFrom?.default === undefined,
    );
    if (missing !== undefined) {
      const message = `raw output parameter '${missing.name}' has not been set and does not have a default value`;
      draft.end(node, 'Error', message);
      return;
    }
    draft.update(node, {
      phase: 'Succeeded',
      finishedAt: draft.time,
      progress: '1/1',
      ...withDefaults(node),
    });
  } catch (error) {
    draft.end(node, 'Error', nodeMessage(error));
  }
}

function withDefaults({ outputs }: NodeStatus): Partial<NodeStatus> {
  if (outputs?.parameters === undefined) return {};
  const parameters = outputs.parameters.map((parameter) => {
    const value = parameter.value ?? parameter.default ?? parameter.valueFrom?.default;
    return value === undefined ? parameter : { ...parameter, value };
  });
  return { outputs: { ...outputs, parameters } };
}
