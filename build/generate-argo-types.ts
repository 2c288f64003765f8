/**
 * Writes `packages/workflows/src/kinds/manifest/argo-types.json`: names and types of the fields of Argo's workflow kinds.
 *
 * Usage: `node build/generate-argo-types.ts DIR`, where DIR holds the Go files of the package `v1alpha1` of Argo's API. Only
 * facts are taken that every client has to agree on: the interface, no text.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOTS = ['Workflow', 'WorkflowTemplate', 'ClusterWorkflowTemplate', 'CronWorkflow'];

/** Go types with a form of their own in JSON. The letters are explained in `types.ts` of `packages/kube/src/schema/kubernetes`; A is any scalar. */
const FORMS: Readonly<Record<string, string>> = {
  string: 's',
  bool: 'b',
  int: 'l',
  int32: 'i',
  int64: 'l',
  uint32: 'l',
  uint64: 'l',
  byte: 'i',
  'types.UID': 's',
  float64: 'd',
  AnyString: 'A',
  Item: 'R',
  Amount: 'R',
  // What controllers write is not judged.
  WorkflowStatus: 'R',
  CronWorkflowStatus: 'R',
  Object: 'R',
  Plugin: 'R',
  ParallelSteps: '[]WorkflowStep',
  'json.RawMessage': 'R',
  'intstr.IntOrString': 'I',
  'metav1.Time': 'T',
  'resource.Quantity': 'Q',
  'time.Duration': 'l',
  'metav1.TypeMeta': 'TypeMeta',
};

/** Fields of earlier releases, which are read as the new ones, and those of ours. */
const FURTHER: Readonly<Record<string, readonly (readonly [name: string, type: string])[]>> = {
  TypeMeta: [
    ['apiVersion', 's'],
    ['kind', 's'],
  ],
  CronWorkflowSpec: [['schedule', 's']],
  Synchronization: [
    ['mutex', 'Mutex'],
    ['semaphore', 'SemaphoreRef'],
  ],
  WorkflowSpec: [['podPriority', 'i']],
  Template: [['podPriority', 'i']],
  ArtifactLocation: [['volume', 'R']],
};

const ALIASES: Readonly<Record<string, string>> = { v1: 'core', corev1: 'core', apiv1: 'core' };
const GROUPS: Readonly<Record<string, string>> = { metav1: 'meta.v1', policyv1: 'policy.v1' };

const structs = new Map<string, [name: string, type: string][]>();
const named = new Map<string, string>();

for (const file of readdirSync(process.argv[2] ?? '.').filter((name) => name.endsWith('.go')))
  read(readFileSync(join(process.argv[2] ?? '.', file), 'utf8'));
const table: Record<string, unknown> = {};
for (const root of ROOTS) write(root);
const lines = Object.keys(table)
  .sort()
  .map((name) => `${JSON.stringify(name)}: ${JSON.stringify(table[name])}`);
const place = new URL('../packages/workflows/src/kinds/manifest/argo-types.json', import.meta.url);
writeFileSync(place, `{\n${lines.join(',\n')}\n}\n`);

function read(text: string): void {
  let current: [name: string, type: string][] | undefined;
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    const open = /^type (\w+) struct ?\{(\})?$/.exec(line);
    const alias = /^type (\w+) ([\w.[\]*]+)$/.exec(line);
    const field = /^(?:(\w+)\s+)?([\w.[\]*]+)\s+`json:"([^",]*)/.exec(line);
    if (open?.[1] !== undefined) {
      const fields: [string, string][] = [];
      structs.set(open[1], fields);
      current = open[2] === undefined ? fields : undefined;
    } else if (line === '}') current = undefined;
    else if (alias?.[1] !== undefined && alias[2] !== undefined) named.set(alias[1], alias[2]);
    else if (current !== undefined && field?.[2] !== undefined && field[3] !== '-')
      current.push([field[3] ?? '', field[2]]);
  }
}

/** A Go type as an expression, with the structs that it names in the table. */
function expression(type: string): string {
  const plain = type.replace(/^\*/, '');
  if (plain.length === 1) return plain;
  const form = FORMS[plain];
  if (form !== undefined) {
    if (form.length > 1) write(form.replace(/^\[\]/, ''));
    return form;
  }
  if (plain.startsWith('[]')) return `[]${expression(plain.slice(2))}`;
  const of = /^map\[[\w.]+\](.+)$/.exec(plain)?.[1];
  if (of !== undefined) return `{}${expression(of)}`;
  const alias = named.get(plain);
  if (alias !== undefined) return expression(alias);
  if (structs.has(plain)) {
    write(plain);
    return plain;
  }
  const [pkg = '', name = ''] = plain.split('.');
  const group = GROUPS[pkg] ?? (ALIASES[pkg] === undefined ? undefined : `${ALIASES[pkg]}.v1`);
  if (group === undefined) throw new Error(`type ${type} is not known`);
  return /^(?:\w+Policy|\w+Mode|\w+Phase|NodeSelectorOperator|ConditionStatus|Protocol)$/.test(name)
    ? 's'
    : `${group}.${name}`;
}

function write(name: string): void {
  if (table[name] !== undefined) return;
  const rows: (readonly [name: string, type: string])[] = [];
  table[name] = rows;
  for (const [json, type] of structs.get(name) ?? []) rows.push([json, expression(type)]);
  for (const [json, type] of FURTHER[name] ?? [])
    if (!rows.some(([known]) => known === json)) rows.push([json, expression(type)]);
}
