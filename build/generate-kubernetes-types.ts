/**
 * Writes `packages/kube/src/schema/kubernetes/types.json`: names, types, wire numbers and merge rules of the fields of Kubernetes' kinds.
 *
 * Usage: `node build/generate-kubernetes-types.ts DIR`, where DIR holds checkouts of the repositories `api`,
 * `apimachinery`, `apiextensions-apiserver`, `kube-aggregator` and `metrics` at the same release. Only facts are taken that
 * every client has to agree on: the interface, no text.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KUBERNETES_PACKAGES } from './kubernetes-packages.ts';

/** Go types with a form of their own on the wire. The letters are explained in `types.ts`. */
const SCALARS: Readonly<Record<string, string>> = {
  string: 's',
  bool: 'b',
  int: 'i',
  int32: 'i',
  int64: 'l',
  uint16: 'i',
  float64: 'd',
  byte: 'i',
  'metav1.Time': 'T',
  'metav1.MicroTime': 'M',
  'metav1.Duration': 'D',
  'metav1.FieldsV1': 'F',
  'resource.Quantity': 'Q',
  'metav1.Verbs': '[]s',
  'intstr.IntOrString': 'I',
  'runtime.RawExtension': 'R',
  'types.UID': 's',
  'types.NodeName': 's',
  'runtime.Object': 'R',
};

const ALIASES: Readonly<Record<string, string>> = {
  v1: 'core.v1',
  corev1: 'core.v1',
  apiv1: 'core.v1',
  metav1: 'meta.v1',
};

interface Parsed {
  readonly structs: Map<string, Field[]>;
  readonly named: Map<string, string>;
  /** Structs that server-side apply owns as a whole. */
  readonly atomic: Set<string>;
}
interface Field {
  readonly name: string;
  readonly type: string;
  readonly number: number;
  readonly flags: Record<string, unknown>;
}

function parse(pkg: string, text: string): Parsed {
  const structs = new Map<string, Field[]>();
  const named = new Map<string, string>();
  const atomic = new Set<string>();
  let current: Field[] | undefined;
  let markers: string[] = [];
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    if (line.startsWith('//')) {
      if (line.startsWith('// +')) markers.push(line.slice(4));
      continue;
    }
    if (line === '') {
      if (current === undefined) markers = [];
      continue;
    }
    const empty = /^type (\w+) struct ?\{\}$/.exec(line);
    if (empty?.[1] !== undefined) structs.set(`${pkg}.${empty[1]}`, []);
    const open = /^type (\w+) struct \{$/.exec(line);
    if (open?.[1] !== undefined) {
      current = [];
      if (markers.includes('structType=atomic')) atomic.add(`${pkg}.${open[1]}`);
      structs.set(`${pkg}.${open[1]}`, current);
    } else if (line === '}') current = undefined;
    else if (current !== undefined) {
      const field = parseField(line, markers);
      if (field !== undefined) current.push(field);
    } else {
      const alias = /^(?:type )?(\w+)\s+((?:\[\]|map\[|\*)?[\w.\]]+)$/.exec(line);
      if (alias?.[1] !== undefined && alias[2] !== undefined) named.set(`${pkg}.${alias[1]}`, alias[2]);
    }
    markers = [];
  }
  return { structs, named, atomic };
}

function parseField(line: string, markers: readonly string[]): Field | undefined {
  const match = /^(?:(\w+)\s+)?([\w.[\]*]+)\s+`(.*)`/.exec(line);
  if (match === null) return undefined;
  const [, , type = '', tags = ''] = match;
  const tag = (name: string): string => new RegExp(`${name}:"([^"]*)"`).exec(tags)?.[1] ?? '';
  const [json = '', ...options] = tag('json').split(',');
  if (json === '-') return undefined;
  const number = Number(tag('protobuf').split(',')[1] ?? 0);
  const flags: Record<string, unknown> = {};
  const isInline = json === '';
  if (options.includes('omitempty')) flags.o = 1;
  if (type.startsWith('*')) flags.p = 1;
  const keys: string[] = [];
  for (const marker of markers) {
    const [name, value = ''] = marker.split('=');
    if (name === 'listType' || name === 'mapType' || name === 'structType') flags.t = value;
    if (name === 'listMapKey') keys.push(value);
  }
  if (keys.length > 0) flags.k = keys;
  if (tag('patchStrategy') !== '') flags.s = tag('patchStrategy');
  if (tag('patchMergeKey') !== '') flags.m = tag('patchMergeKey');
  return { name: isInline ? '' : json, type: type.replace(/^\*/, ''), number, flags };
}

const directory = process.argv[2] ?? '.';
const all: Parsed = { structs: new Map(), named: new Map(), atomic: new Set() };
for (const [pkg, path] of Object.entries(KUBERNETES_PACKAGES)) {
  for (const file of ['types.go', 'types_jsonschema.go', 'micro_time.go']) {
    const source = join(directory, path, file);
    if (!existsSync(source)) continue;
    const parsed = parse(pkg, readFileSync(source, 'utf8'));
    for (const [name, fields] of parsed.structs) all.structs.set(name, fields);
    for (const [name, type] of parsed.named) all.named.set(name, type);
    for (const name of parsed.atomic) all.atomic.add(name);
  }
}

/** A Go type as an expression of `types.json`. */
function resolve(type: string, pkg: string): string {
  if (type === '[]byte') return 'y';
  if (type.startsWith('[]')) return `[]${resolve(type.slice(2).replace(/^\*/, ''), pkg)}`;
  const map = /^map\[\w+(?:\.\w+)?\](.+)$/.exec(type);
  if (map?.[1] !== undefined) return `{}${resolve(map[1], pkg)}`;
  const scalar = SCALARS[pkg === 'meta.v1' && !type.includes('.') ? `metav1.${type}` : type] ?? SCALARS[type];
  if (scalar !== undefined) return scalar;
  const [prefix, name] = type.includes('.') ? type.split('.') : ['', type];
  const full = prefix === '' ? `${pkg}.${name}` : `${ALIASES[prefix ?? ''] ?? `${prefix}.v1`}.${name}`;
  if (SPECIAL.has(full)) return 'R';
  if (all.structs.has(full)) return full;
  const named = all.named.get(full);
  if (named === undefined) throw new Error(`unknown type ${type} in ${pkg}`);
  return resolve(named, full.split('.').slice(0, 2).join('.'));
}

/** Types that are written as any JSON. */
const SPECIAL: ReadonlySet<string> = new Set([
  'apiextensions.v1.JSON',
  'apiextensions.v1.JSONSchemaPropsOrBool',
  'apiextensions.v1.JSONSchemaPropsOrArray',
  'apiextensions.v1.JSONSchemaPropsOrStringArray',
]);

const types: Record<string, unknown[]> = { '#atomic': [...all.atomic].sort() };
for (const [name, fields] of [...all.structs].sort(([a], [b]) => (a < b ? -1 : 1))) {
  const pkg = name.split('.').slice(0, 2).join('.');
  if (/(InternalEvent|List|\.(Time|MicroTime|Timestamp|Duration|FieldsV1|TypeMeta))$/.test(name)) continue;
  const described = [];
  for (const field of fields) {
    if (field.type === 'metav1.TypeMeta' || field.type === 'TypeMeta') continue;
    const entry: unknown[] = [field.name, resolve(field.type, pkg), field.number];
    if (Object.keys(field.flags).length > 0) entry.push(field.flags);
    described.push(entry);
  }
  types[name] = described;
}
const lines = Object.entries(types).map(
  ([name, fields]) => `${JSON.stringify(name)}:${JSON.stringify(fields)}`,
);
writeFileSync(
  new URL('../packages/kube/src/schema/kubernetes/types.json', import.meta.url),
  `{\n${lines.join(',\n')}\n}\n`,
);
