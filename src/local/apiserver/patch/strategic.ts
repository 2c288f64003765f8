import { isJson, type Json } from '../object.ts';
import { applyMergePatch } from './merge-patch.ts';

/** Placeholder until merge keys are in: objects merge, lists replace. */
export function applyStrategicPatch(document: Json, patch: unknown, _type: string): unknown {
  return isJson(patch) ? applyMergePatch(document, patch) : document;
}
