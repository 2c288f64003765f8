import type { KubeObject } from '@turnsole/kube/kinds/core';
import { isObject } from '@turnsole/kube/text/json';
import type { Template } from '@turnsole/workflows/kinds/template';
import { parseAllDocuments } from 'yaml';
import type { PlannedStep } from './planned-steps.ts';
import { markedFields, markTags, replaceTags } from './tags.ts';

/** An object of Kubernetes that a step brings along. */
export interface InnerObject {
  readonly step: PlannedStep;
  readonly object: KubeObject & { readonly apiVersion: string; readonly kind: string };
  /** `artifact pod-delete` or `its manifest`. */
  readonly source: string;
  /** Path in the workflow for people: `spec.templates[1].inputs.artifacts[0].raw.data`. */
  readonly path: string;
  /** How it gets into the cluster; undefined where nothing is seen that would apply it. */
  readonly appliedBy: string | undefined;
  /** The namespace, where the command sets it. */
  readonly into?: string;
  /** Fields whose value is only known at run time, with the tags that stand there. */
  readonly unknown: readonly (readonly [field: string, tags: readonly string[]])[];
}

/** The objects in raw artifacts and in manifests of resource templates, with the known values of their tags. Pure. */
export function innerObjects(steps: readonly PlannedStep[]): InnerObject[] {
  return steps.flatMap((step) => {
    const ofArtifacts = step.artifacts.flatMap((artifact, index) => {
      const data = artifact.raw?.data;
      if (data === undefined) return [];
      const source = `artifact ${artifact.name}`;
      const path = `${step.path}.inputs.artifacts[${index}].raw.data`;
      return objectsIn(data, step, { source, path, ...applierOf(step, artifact.path ?? '') });
    });
    const found = [...ofArtifacts, ...objectsInCommand(step)];
    const { manifest, action } = step.found.resource ?? {};
    if (manifest === undefined || (action !== 'create' && action !== 'apply')) return found;
    const place = {
      source: 'its manifest',
      path: `${step.path}.resource.manifest`,
      appliedBy: `resource ${action}`,
    };
    return [...found, ...objectsIn(manifest, step, place)];
  });
}

/** A here-document of a shell: what stands between `<<END` and the line `END`. */
const HERE_DOCUMENT = /<<-?[ \t]*(["']?)(\w+)\1[^\n]*\n(.*?)\n[ \t]*\2(?=\n|$)/gs;

/** Scripts often write their manifests themselves. */
function objectsInCommand(step: PlannedStep): InnerObject[] {
  const text = commandOf(step.found);
  const kubectl = new RegExp(KUBECTL).test(text) ? 'kubectl' : undefined;
  const place = { source: 'its command', path: step.path, appliedBy: kubectl };
  return [...text.matchAll(HERE_DOCUMENT)].flatMap(([, , , body = '']) => objectsIn(body, step, place));
}

function objectsIn(
  text: string,
  step: PlannedStep,
  place: Pick<InnerObject, 'source' | 'path' | 'appliedBy' | 'into'>,
): InnerObject[] {
  const marked = markTags(replaceTags(text, step.names));
  // A text that is no YAML is a script, or anything else that artifacts may be.
  return parseAllDocuments(marked.text).flatMap((document) => {
    if (document.errors.length > 0) return [];
    const object: unknown = document.toJS({ maxAliasCount: 100 });
    if (!isKubeObject(object)) return [];
    return [{ step, object, ...place, unknown: markedFields(object, marked.tags) }];
  });
}

function isKubeObject(value: unknown): value is InnerObject['object'] {
  return (
    isObject(value) &&
    typeof value['apiVersion'] === 'string' &&
    typeof value['kind'] === 'string' &&
    isObject(value['metadata'])
  );
}

/** What of a step's command would apply a file, as far as that can be seen from its words. */
function applierOf({ found, names }: PlannedStep, file: string): Pick<InnerObject, 'appliedBy' | 'into'> {
  const words = replaceTags(commandOf(found), names);
  if (new RegExp(`-{1,2}file[= ]${literally(file)}(?=[\\s"']|$)`).test(words))
    return { appliedBy: 'litmus-checker' };
  const command = [...words.matchAll(KUBECTL)].map(([text]) => text).find((text) => covers(text, file));
  if (command === undefined) return { appliedBy: undefined };
  const into = /\s(?:-n|--namespace)[= ]?(\S+)/.exec(command)?.[1];
  return { appliedBy: 'kubectl', ...(into !== undefined && !into.includes('{{') && { into }) };
}

/** One command of a shell text. */
const KUBECTL = /kubectl\s[^;&|\n]*\b(?:apply|create)\b[^;&|\n]*/g;

/** Whether the command names the file, or a folder that holds it. */
function covers(command: string, file: string): boolean {
  return [...command.matchAll(/\s(?:-f|--filename)[= ]?(\S+)/g)].some(([, path = '']) => {
    // The variable stands for the root of a pod that shares the machine's files.
    const bare = path.replace(/["']/g, '').replace(/^\$\{?TURNSOLE_POD_ROOT\b\}?/, '');
    return bare === file || (file.startsWith(bare) && (bare.endsWith('/') || file[bare.length] === '/'));
  });
}

function commandOf({ container, script }: Template): string {
  const { command = [], args = [] } = container ?? script ?? {};
  return [...command, ...args, script?.source ?? ''].join(' ');
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
