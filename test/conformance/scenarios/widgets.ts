/** A custom kind for scenarios: widgets of a group of their own. */
import type { Scenario } from '../harness/scenario.ts';
import { awaiting, post, setup } from '../harness/steps.ts';

export const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export interface Definition {
  /** Group of the scenario: each has its own, so that definitions do not meet. */
  readonly group: string;
  readonly schema?: object;
  readonly version?: object;
  readonly spec?: object;
}

export const SPEC_SCHEMA = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', minimum: 1, maximum: 10 },
    color: { type: 'string', enum: ['red', 'green'], default: 'red' },
    name: { type: 'string', pattern: '^[a-z]+$', maxLength: 5 },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 2 },
    anything: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    port: { 'x-kubernetes-int-or-string': true },
    nested: {
      type: 'object',
      properties: { on: { type: 'boolean', default: true }, level: { type: 'integer' } },
    },
    empty: { type: 'string', nullable: true },
  },
};

export const SCHEMA = {
  type: 'object',
  properties: {
    spec: SPEC_SCHEMA,
    status: { type: 'object', properties: { phase: { type: 'string' }, replicas: { type: 'integer' } } },
  },
};

export function definition({ group, schema = SCHEMA, version = {}, spec = {} }: Definition): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: {
        plural: 'widgets',
        singular: 'widget',
        kind: 'Widget',
        listKind: 'WidgetList',
        shortNames: ['wd'],
      },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version },
      ],
      ...spec,
    },
  };
}

export function path(group: string, rest = ''): string {
  return `/apis/${group}/v1/namespaces/{ns}/widgets${rest === '' ? '' : `/${rest}`}`;
}

export function widget(group: string, name: string, spec: object, extra: object = {}): object {
  return { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name }, spec, ...extra };
}

/** Without what keeps a version 2 of OpenAPI from describing it. */
export const SMALL_SCHEMA = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: { size: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' } } },
    },
  },
};

/** Creates a definition and waits until its resources are served. */
export function established(of: Definition) {
  return [
    setup(post(CRDS, definition(of))),
    setup(
      awaiting(`${CRDS}/widgets.${of.group}`, {
        equals: { '/status/conditions/1/type': 'Established', '/status/conditions/1/status': 'True' },
      }),
    ),
    setup(awaiting(path(of.group))),
  ];
}

/** A scenario with a group of its own, `<name>.example.com`. */
export function scenario(name: string, steps: (group: string) => Scenario['steps']): Scenario {
  return { name: `crd-${name}`, steps: steps(`${name}.example.com`) };
}

export const REWORDED = { ignore: ['/body/message', '/body/details/causes'] };
/** What columns mean is told in other words by each server. */
export const COLUMN_TEXTS = { ignore: ['/body/columnDefinitions/*/description'] };
