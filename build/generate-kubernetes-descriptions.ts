/**
 * Writes `packages/cluster/src/apiserver/openapi/generated/descriptions.br`: what Kubernetes says of its types and their fields, with
 * the values, defaults and required fields that it publishes; JSON in Brotli's form, as `descriptions.ts` reads it.
 *
 * Usage: `node build/generate-kubernetes-descriptions.ts DIR`, where DIR is the module `k8s.io/kubernetes` of the release of `types.json`
 * (`go mod download -json k8s.io/kubernetes@v1.36.3` names the folder). Its file `pkg/generated/openapi/zz_generated.openapi.go` is what
 * an API server publishes at `/openapi/v3`; the files in `api/openapi-spec` leave the values out.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import type {
  DescribedField,
  DescribedType,
} from '../packages/cluster/src/apiserver/openapi/descriptions.ts';
import types from '../packages/kube/src/schema/kubernetes/types.json' with { type: 'json' };
import { KUBERNETES_PACKAGES } from './kubernetes-packages.ts';

/** Types that `types.json` has a letter for. */
const SCALARS: Readonly<Record<string, string>> = {
  'k8s.io/apimachinery/pkg/apis/meta/v1.Time': 'meta.v1.Time',
  'k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime': 'meta.v1.MicroTime',
  'k8s.io/apimachinery/pkg/apis/meta/v1.Duration': 'meta.v1.Duration',
  'k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1': 'meta.v1.FieldsV1',
  'k8s.io/apimachinery/pkg/api/resource.Quantity': 'resource.Quantity',
  'k8s.io/apimachinery/pkg/util/intstr.IntOrString': 'intstr.IntOrString',
  'k8s.io/apimachinery/pkg/runtime.RawExtension': 'runtime.RawExtension',
};
const PREFIXES = new Map(
  Object.entries(KUBERNETES_PACKAGES).map(([prefix, path]) => [`k8s.io/${path}`, prefix]),
);

const source = readFileSync(
  join(process.argv[2] ?? '.', 'pkg/generated/openapi/zz_generated.openapi.go'),
  'utf8',
);
const imports = new Map(
  [...source.matchAll(/^\t(\w+) "([\w./-]+)"$/gm)].map(([, alias = '', path = '']) => [alias, path]),
);
const functions = new Map(
  [...source.matchAll(/^func (schema_\w+)\(.*\{\n([\s\S]*?)^\}/gm)].map(([, name = '', body = '']) => [
    name,
    body,
  ]),
);

/** `core.v1.Pod` of a Go type, if it is one of those that the tables have. */
function tableName(alias: string, type: string): string | undefined {
  const path = imports.get(alias) ?? '';
  const prefix = PREFIXES.get(path);
  const name = SCALARS[`${path}.${type}`] ?? (prefix === undefined ? undefined : `${prefix}.${type}`);
  return name !== undefined && (Object.hasOwn(types, name) || Object.values(SCALARS).includes(name))
    ? name
    : undefined;
}

/** Literals of Go that are JSON as well, and the empty map. */
function literal(text: string): unknown {
  const plain = text
    .replace(/^map\[string\]interface\{\}\{\}$/, '{}')
    .replace(/^\[\](?:interface\{\}|string)\{(.*)\}$/, '[$1]');
  return JSON.parse(plain);
}

/** A type from the body of its function; gofmt's indentation tells what belongs to what. */
function describeType(body: string): DescribedType {
  let description = '';
  let required: readonly string[] = [];
  const fields: Record<string, DescribedField> = {};
  let field: { description: string; enum?: unknown; default?: unknown; itemEnum?: unknown } | undefined;
  let name = '';
  const end = (): void => {
    if (field === undefined) return;
    const { enum: values, default: preset, itemEnum } = field;
    // Only what is there is written, as most fields have a description only.
    const row = [field.description, values ?? null, preset ?? null, itemEnum ?? null];
    while (row.at(-1) === null) row.pop();
    fields[name] = (row.length === 1 ? field.description : row) as DescribedField;
  };
  for (const line of body.split('\n')) {
    const opened = /^\t{5}"(.+)": \{$/.exec(line);
    if (opened?.[1] !== undefined) {
      end();
      name = opened[1];
      field = { description: '' };
      continue;
    }
    const [, tabs = '', key = '', value = ''] =
      /^(\t+)(Description|Enum|Default|Required):\s+(.*),$/.exec(line) ?? [];
    if (tabs.length === 4 && key === 'Description') description = literal(value) as string;
    else if (tabs.length === 4 && key === 'Required') required = literal(value) as string[];
    else if (field !== undefined && tabs.length === 7) {
      if (key === 'Description') field.description = literal(value) as string;
      else if (key === 'Enum') field.enum = literal(value);
      else if (key === 'Default' && !value.includes('Ref'))
        field.default = isLiteral(value) ? literal(value) : undefined;
    } else if (field !== undefined && tabs.length > 7 && key === 'Enum') field.itemEnum = literal(value);
  }
  end();
  return [description, required, fields];
}

/** Other defaults are constants of Go packages. */
function isLiteral(text: string): boolean {
  return /^("|\d|true|false|map\[string\]interface\{\}\{\})/.test(text);
}

const described: Record<string, DescribedType> = {};
for (const [, alias = '', type = '', of = ''] of source.matchAll(
  /^\t\t(\w+)\.(\w+)\{\}\.OpenAPIModelName\(\):\s+(schema_\w+)\(ref\),$/gm,
)) {
  const name = tableName(alias, type);
  const body = functions.get(of);
  if (name !== undefined && body !== undefined) described[name] = describeType(body);
}
const sorted = Object.fromEntries(Object.entries(described).sort(([a], [b]) => (a < b ? -1 : 1)));
const text = Buffer.from(JSON.stringify(sorted));
const compressed = brotliCompressSync(text, {
  params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: text.length },
});
writeFileSync(
  new URL('../packages/cluster/src/apiserver/openapi/generated/descriptions.br', import.meta.url),
  compressed,
);
console.log(`${Object.keys(sorted).length} types, ${text.length} bytes, ${compressed.length} compressed`);
const missing = Object.keys(types).filter((name) => described[name] === undefined && !name.startsWith('#'));
console.log(`without a description: ${missing.join(', ')}`);
