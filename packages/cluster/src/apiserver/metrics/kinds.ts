/** The kinds of metrics.k8s.io: measured when asked for, never stored. */
import { formatQuantity, parseQuantity } from '@turnsole/kube/text/quantity';
import { defineKind } from '../kinds/define.ts';
import type { KindDefinition } from '../kinds/kind.ts';
import { type ApiObject, asObjects, asString, type Json, valueAt } from '../object.ts';
import { type Column, column, NAME_COLUMN } from '../tables/column.ts';

export const METRICS_GROUP = 'metrics.k8s.io';

/** Nothing is stored that could be watched or written. */
const VERBS = ['get', 'list'];

const WINDOW_COLUMN = column('Window', (object) => asString(object.window), { format: 'duration' });

function usageColumn(resource: 'cpu' | 'memory', usersOf: (object: ApiObject) => readonly Json[]): Column {
  return column(resource, (object) => total(usersOf(object), resource), { format: 'quantity' });
}

function total(users: readonly Json[], resource: string): string {
  const amounts = users.map((user) => parseQuantity(asString(valueAt(user, 'usage', resource)) || '0'));
  const nano = amounts.reduce((sum, amount) => sum + amount.nano, 0n);
  return formatQuantity({ nano, format: amounts[0]?.format ?? 'decimal' });
}

function columns(usersOf: (object: ApiObject) => readonly Json[]): readonly Column[] {
  return [NAME_COLUMN, usageColumn('cpu', usersOf), usageColumn('memory', usersOf), WINDOW_COLUMN];
}

export const METRICS_KINDS: readonly KindDefinition[] = [
  defineKind({
    group: METRICS_GROUP,
    plural: 'nodes',
    kind: 'NodeMetrics',
    versions: [{ name: 'v1beta1', type: 'metrics.v1beta1.NodeMetrics' }],
    namespaced: false,
    verbs: VERBS,
    columns: columns((object) => [object]),
  }),
  defineKind({
    group: METRICS_GROUP,
    plural: 'pods',
    kind: 'PodMetrics',
    versions: [{ name: 'v1beta1', type: 'metrics.v1beta1.PodMetrics' }],
    verbs: VERBS,
    columns: columns((object) => asObjects(object.containers)),
  }),
];
