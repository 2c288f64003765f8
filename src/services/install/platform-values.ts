import type { EnvVar, ObjectMeta } from '@turnsole/kube/kinds/core';
import type { StructuralSchema } from '@turnsole/kube/schema/schema';

import { type FieldProblem, parseSettings, readSettingsText } from '../manifests/settings-file.ts';
import type { InstallObject } from './install-object.ts';

/**
 * What platform teams ask of everything that runs in their clusters: fields of the chart's values, and of the file of
 * `turnsole install --values`, which have the same names. Each is left out where nothing is asked.
 */
export interface PlatformValues {
  /** Beside those of Turnsole, on every object but definitions and namespaces, and on the pods of components. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The same. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Nodes on which the components' pods may run. */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly object[];
  /** In the place of the components' own, which spreads several replicas over nodes. */
  readonly affinity?: object;
  readonly topologySpreadConstraints?: readonly object[];
  /** Variables of the components' containers, after their own. */
  readonly extraEnv?: readonly EnvVar[];
  /** In the place of the pods' own. */
  readonly podSecurityContext?: object;
  /** In the place of the containers' own. */
  readonly securityContext?: object;
  /** Class of the control plane's Ingress; without one that of the cluster. */
  readonly ingressClassName?: string;
  /** Of the control plane's Ingress alone. */
  readonly ingressAnnotations?: Readonly<Record<string, string>>;
  /** Class of the control plane's claim; without one that of the cluster. */
  readonly storageClassName?: string;
  /** Size of the control plane's claim. */
  readonly storageSize?: string;
}

const TEXT: StructuralSchema = { type: 'string' };
const TEXTS: StructuralSchema = { type: 'object', additionalProperties: TEXT };
/** As Kubernetes has it, whose API server judges what is in it. */
const OBJECT: StructuralSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const OBJECTS: StructuralSchema = { type: 'array', items: OBJECT };

/** The types of the fields. */
export const PLATFORM_SCHEMA: StructuralSchema & {
  readonly properties: Readonly<Record<keyof PlatformValues, StructuralSchema>>;
} = {
  type: 'object',
  properties: {
    labels: TEXTS,
    annotations: TEXTS,
    nodeSelector: TEXTS,
    tolerations: OBJECTS,
    affinity: OBJECT,
    topologySpreadConstraints: OBJECTS,
    extraEnv: OBJECTS,
    podSecurityContext: OBJECT,
    securityContext: OBJECT,
    ingressClassName: TEXT,
    ingressAnnotations: TEXTS,
    storageClassName: TEXT,
    storageSize: TEXT,
  },
};

/** Labels by which an installation finds its objects and pods: those of a user may not take their places. */
export const OWN_LABEL =
  /^(?:app\.kubernetes\.io\/(?:name|component|part-of|managed-by)|turnsole\.io\/.*|app)$/;

/** Why values cannot be taken; the types are right already. Pure. */
export function platformProblems({
  labels = {},
  annotations = {},
  ingressAnnotations = {},
  extraEnv = [],
}: PlatformValues): FieldProblem[] {
  const taken = Object.keys(labels).filter((name) => OWN_LABEL.test(name));
  const twice = Object.keys(ingressAnnotations).filter((name) => Object.hasOwn(annotations, name));
  const unnamed = extraEnv.flatMap(({ name }, at) => (typeof name === 'string' && name !== '' ? [] : [at]));
  return [
    ...taken.map(
      (name): FieldProblem => [
        ['labels', name],
        'an installation finds its objects by it; choose another name',
      ],
    ),
    ...twice.map(
      (name): FieldProblem => [['ingressAnnotations', name], 'annotations has it for every object already'],
    ),
    ...unnamed.map(
      (at): FieldProblem => [['extraEnv', String(at), 'name'], 'expected the name of a variable'],
    ),
  ];
}

/**
 * Reads the file of `turnsole install --values`. What is empty in it asks for nothing, as in the chart's values.
 *
 * @throws BadInputError with everything that is wrong in it
 */
export async function readPlatformValues(file: string): Promise<PlatformValues> {
  const example = 'nodeSelector and tolerations';
  const values = parseSettings<PlatformValues>(file, await readSettingsText(file), {
    schema: PLATFORM_SCHEMA,
    example,
    problemsOf: platformProblems,
  });
  return Object.fromEntries(
    Object.entries(values).filter(
      ([, value]: [string, unknown]) =>
        value !== '' && (typeof value !== 'object' || value === null || Object.keys(value).length > 0),
    ),
  );
}

/** The object with the labels and annotations that every object gets, and its pods where it is a Deployment. Pure. */
export function withPlatformMetadata(
  object: InstallObject,
  { labels = {}, annotations = {} }: PlatformValues,
): InstallObject {
  const marked = (metadata: ObjectMeta): ObjectMeta => ({
    ...metadata,
    ...(Object.keys(labels).length > 0 && { labels: { ...metadata.labels, ...labels } }),
    ...(Object.keys(annotations).length > 0 && { annotations: { ...metadata.annotations, ...annotations } }),
  });
  const whole = { ...object, metadata: marked(object.metadata) };
  if (object.kind !== 'Deployment') return whole;
  // Made by componentDeployment, so it has a template.
  const { template, ...spec } = object['spec'] as { readonly template: { readonly metadata: ObjectMeta } };
  return { ...whole, spec: { ...spec, template: { ...template, metadata: marked(template.metadata) } } };
}
