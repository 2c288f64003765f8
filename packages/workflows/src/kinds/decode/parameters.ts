import { isObject } from '@turnsole/kube/text/json';
import type { Arguments, Artifact, Outputs, Parameter } from '../parameters.ts';
import { anyString } from './any-string.ts';
import { decodeItems } from './items.ts';
import { withoutPlaceholders } from './placeholders.ts';

export function decodeArguments(raw: unknown): Arguments | undefined {
  return decodeOutputs(raw);
}

export function decodeOutputs(raw: unknown): Outputs | undefined {
  if (!isObject(raw)) return undefined;
  const object = withoutPlaceholders(raw);
  const { parameters, artifacts } = object;
  if (parameters !== undefined) object['parameters'] = decodeItems(parameters, decodeParameter);
  if (artifacts !== undefined) object['artifacts'] = decodeItems(artifacts, decodeArtifact);
  return Object.keys(object).length === 0 ? undefined : object;
}

function decodeParameter(raw: Record<string, unknown>): Parameter {
  const parameter = withoutPlaceholders(raw);
  setText(parameter, 'value');
  setText(parameter, 'default');
  if (Array.isArray(parameter['enum']))
    parameter['enum'] = parameter['enum'].map((member) => anyString(member) ?? '');
  const { valueFrom } = parameter;
  if (isObject(valueFrom)) {
    const source = withoutPlaceholders(valueFrom);
    setText(source, 'default');
    parameter['valueFrom'] = source;
  }
  return { ...parameter, name: String(parameter['name'] ?? '') };
}

function decodeArtifact(raw: Record<string, unknown>): Artifact {
  return { ...withoutPlaceholders(raw), name: String(raw['name'] ?? '') };
}

function setText(object: Record<string, unknown>, field: string): void {
  if (Object.hasOwn(object, field)) object[field] = anyString(object[field]);
}
