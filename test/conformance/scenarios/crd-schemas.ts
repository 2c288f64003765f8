/** Schemas of custom resources: defaults, pruning, validation, columns, ownership of fields. */
import type { Theme } from '../harness/scenario.ts';
import { awaiting, get, patch, post, setup } from '../harness/steps.ts';
import {
  COLUMN_TEXTS,
  CRDS,
  established,
  path,
  REWORDED,
  SMALL_SCHEMA,
  scenario,
  widget,
} from './widgets.ts';

export const CUSTOM_SCHEMAS: Theme = {
  theme: 'crd-schemas',
  scenarios: [
    scenario('defaults', (group) => [
      ...established({ group }),
      post(path(group), widget(group, 'a', { size: 1, nested: {} })),
      post(path(group), widget(group, 'b', { size: 1, color: 'green', nested: { on: false } })),
      patch('merge', path(group, 'b'), { spec: { color: null } }),
      post(path(group), widget(group, 'c', { size: 1, color: null, empty: null })),
    ]),
    scenario('pruning', (group) => [
      ...established({ group }),
      // Warnings about unknown fields are of later versions.
      post(
        `${path(group)}?fieldValidation=Ignore`,
        widget(
          group,
          'a',
          { size: 1, unknown: 1, anything: { goes: [1] }, nested: { unknown: 1, level: 2 } },
          { top: 'x' },
        ),
      ),
      patch('merge', `${path(group, 'a')}?fieldValidation=Ignore`, { spec: { other: true } }),
    ]),
    scenario('validation', (group) => [
      ...established({ group }),
      post(path(group), widget(group, 'a', {})),
      post(path(group), widget(group, 'a', { size: 0 })),
      post(path(group), widget(group, 'a', { size: 11 })),
      post(path(group), widget(group, 'a', { size: 'big' })),
      post(path(group), widget(group, 'a', { size: 1.5 })),
      post(path(group), widget(group, 'a', { size: 1, color: 'blue' })),
      post(path(group), widget(group, 'a', { size: 1, name: 'A1' })),
      // Later versions word these three otherwise.
      post(path(group), widget(group, 'a', { size: 1, name: 'toolong' }), REWORDED),
      post(path(group), widget(group, 'a', { size: 1, tags: ['a', 'b', 'c'] }), REWORDED),
      post(path(group), widget(group, 'a', { size: 1, tags: [1] }), REWORDED),
      post(path(group), widget(group, 'a', { size: 1, tags: 'a' })),
      post(path(group), widget(group, 'a', { size: 1, nested: [] })),
      post(path(group), { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'a' }, spec: 'text' }),
      post(path(group), widget(group, 'a', { size: 1, port: true })),
      post(path(group), widget(group, 'a', { size: 1, port: 'http' })),
      patch('merge', path(group, 'a'), { spec: { size: 99 } }),
    ]),
    scenario('validation-of-several', (group) => [
      ...established({ group }),
      post(path(group), widget(group, 'a', { size: 'x', color: 'blue' }), {
        // Problems come in no particular order.
        ignore: ['/body/message', '/body/details/causes'],
      }),
    ]),
    scenario('validation-of-metadata', (group) => [
      ...established({ group }),
      post(path(group), widget(group, 'Bad_Name', { size: 1 })),
      post(
        path(group),
        widget(group, 'a', { size: 1 }, { metadata: { name: 'a', labels: { 'bad key': 'x' } } }),
      ),
      post(path(group), { apiVersion: `${group}/v1`, kind: 'Widget', spec: { size: 1 } }),
      post(path(group), widget(group, 'a', { size: 1 }, { kind: 'Gadget' })),
      post(path(group), widget(group, 'a', { size: 1 }, { apiVersion: `${group}/v2` })),
      // The decoder's text goes on.
      post(path(group), { metadata: { name: 'a' }, spec: { size: 1 } }, { ignore: ['/body/message'] }),
    ]),
    scenario('printer-columns', (group) => [
      ...established({
        group,
        version: {
          additionalPrinterColumns: [
            { name: 'Size', type: 'integer', jsonPath: '.spec.size', description: 'how big' },
            { name: 'Color', type: 'string', jsonPath: '.spec.color' },
            { name: 'Tags', type: 'string', jsonPath: '.spec.tags', priority: 1 },
            { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
          ],
        },
      }),
      setup(post(path(group), widget(group, 'a', { size: 1, tags: ['x', 'y'] }))),
      setup(post(path(group), widget(group, 'b', { size: 2 }))),
      get(path(group), {
        ...COLUMN_TEXTS,
        headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
      }),
      get(path(group, 'a'), {
        ...COLUMN_TEXTS,
        headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
      }),
    ]),
    scenario('default-columns', (group) => [
      ...established({ group }),
      setup(post(path(group), widget(group, 'a', { size: 1 }))),
      get(path(group), {
        ...COLUMN_TEXTS,
        headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
      }),
    ]),
    scenario('apply', (group) => [
      ...established({ group, schema: SMALL_SCHEMA }),
      patch('apply', `${path(group, 'a')}?fieldManager=one`, widget(group, 'a', { size: 1, tags: ['x'] }), {
        managedFields: true,
      }),
      patch('apply', `${path(group, 'a')}?fieldManager=two`, widget(group, 'a', { size: 2 }), {
        managedFields: true,
      }),
      patch('apply', `${path(group, 'a')}?fieldManager=two&force=true`, widget(group, 'a', { size: 2 }), {
        managedFields: true,
      }),
      patch('apply', `${path(group, 'a')}?fieldManager=one`, widget(group, 'a', { size: 2 }), {
        managedFields: true,
      }),
    ]),
    scenario('apply-unknown-fields', (group) => [
      ...established({ group, schema: SMALL_SCHEMA }),
      patch('apply', `${path(group, 'a')}?fieldManager=one`, widget(group, 'a', { size: 1, sise: 2 }), {
        managedFields: true,
      }),
    ]),
    scenario('any-schema', (group) => [
      ...established({ group, schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }),
      post(
        path(group),
        widget(group, 'a', { what: { ever: [1, 'two', null, { three: 3.5 }] } }, { extra: true }),
      ),
      patch('merge', path(group, 'a'), { spec: { what: { ever: null, more: 1e6 } } }),
      get(path(group, 'a')),
    ]),
    scenario('change-schema', (group) => [
      ...established({ group }),
      setup(post(path(group), widget(group, 'a', { size: 5 }))),
      patch(
        'json',
        `${CRDS}/widgets.${group}`,
        [
          {
            op: 'replace',
            path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size/maximum',
            value: 3,
          },
        ],
        { ignore: ['/body/status'] },
      ),
      awaiting(path(group, 'a'), { setup: true }),
      get(path(group, 'a')),
    ]),
  ],
};
