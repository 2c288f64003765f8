import { isObject } from '@turnsole/kube/text/json';
import type {
  DagTask,
  DagTemplate,
  LifecycleHook,
  Synchronization,
  Template,
  WorkflowStep,
} from '../template.ts';
import { decodeItems } from './items.ts';
import { decodeArguments, decodeOutputs } from './parameters.ts';
import { withoutPlaceholders } from './placeholders.ts';

/** Reads a template of old or new spelling. Fields that it does not know stay. */
export function decodeTemplate(raw: Readonly<Record<string, unknown>>): Template {
  const template = withoutPlaceholders(raw);
  set(template, 'inputs', decodeArguments(raw['inputs']));
  set(template, 'outputs', decodeOutputs(raw['outputs']));
  set(template, 'synchronization', decodeSynchronization(raw['synchronization']));
  if (Array.isArray(raw['steps'])) template['steps'] = raw['steps'].map(decodeGroup);
  if (isObject(raw['dag'])) template['dag'] = decodeDag(raw['dag']);
  for (const type of ['container', 'script']) {
    const container = raw[type];
    if (isObject(container)) template[type] = decodeContainer(container);
  }
  return template;
}

/** The old form names one mutex or semaphore, the new one lists several. */
export function decodeSynchronization(raw: unknown): Synchronization | undefined {
  if (!isObject(raw)) return undefined;
  const { mutex, semaphore, ...rest } = withoutPlaceholders(raw);
  const decoded: Record<string, unknown> = rest;
  if (isObject(mutex)) decoded['mutexes'] = [mutex, ...listOf(rest['mutexes'])];
  if (isObject(semaphore)) decoded['semaphores'] = [semaphore, ...listOf(rest['semaphores'])];
  return decoded;
}

export function decodeHooks(raw: unknown): Readonly<Record<string, LifecycleHook>> | undefined {
  if (!isObject(raw)) return undefined;
  return Object.fromEntries(
    Object.entries(raw).map(([name, hook]) => [name, isObject(hook) ? decodeHook(hook) : {}]),
  );
}

function decodeHook(raw: Record<string, unknown>): LifecycleHook {
  const hook = withoutPlaceholders(raw);
  set(hook, 'arguments', decodeArguments(raw['arguments']));
  return hook;
}

/** `name: ""` is written by some programs and means nothing. */
function decodeContainer(raw: Record<string, unknown>): Record<string, unknown> {
  const container = withoutPlaceholders(raw);
  if (container['name'] === '') delete container['name'];
  return container;
}

function decodeGroup(raw: unknown): WorkflowStep[] {
  return decodeItems(raw, decodeStep);
}

function decodeDag(raw: Record<string, unknown>): DagTemplate {
  const tasks = decodeItems<DagTask>(raw['tasks'] ?? [], decodeStep);
  return { ...withoutPlaceholders(raw), tasks };
}

function decodeStep(raw: Record<string, unknown>): WorkflowStep {
  const step = withoutPlaceholders(raw);
  set(step, 'arguments', decodeArguments(raw['arguments']));
  set(step, 'hooks', decodeHooks(raw['hooks']));
  if (isObject(raw['inline'])) step['inline'] = decodeTemplate(raw['inline']);
  if (Array.isArray(raw['withItems'])) step['withItems'] = raw['withItems'];
  return { ...step, name: String(raw['name'] ?? '') };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function set(object: Record<string, unknown>, field: string, value: unknown): void {
  if (value === undefined) delete object[field];
  else object[field] = value;
}
