/**
 * OpenAPI documents: enough for `kubectl apply --validate`, `kubectl explain` and clients that ask which fields exist.
 * Source: kubernetes.io, The Kubernetes API, OpenAPI interface definition.
 */
import { KUBERNETES_VERSION } from '../../base/version.ts';
import type { KindDefinition, ServedVersion } from '../kinds/kind.ts';
import { ALL_VERBS } from '../kinds/kind.ts';
import type { Json } from '../object.ts';
import type { KindRegistry } from '../registry/registry.ts';
import { collectKind, collectType, gvkOf, type RefPrefix } from './schemas.ts';

const INFO = { title: 'Kubernetes', version: KUBERNETES_VERSION };

/** Paths below `/openapi/v3/`: of group versions (`api/v1`, `apis/apps/v1`) and of groups, which lead to these (`api`, `apis/apps`). */
export function documentPaths(kinds: KindRegistry): string[] {
  const versions = groupVersionPaths(kinds);
  const groups = versions.map((path) => path.slice(0, path.lastIndexOf('/')));
  return [...new Set([...groups, ...versions])];
}

/** Group versions as paths below `/openapi/v3/`. */
function groupVersionPaths(kinds: KindRegistry): string[] {
  const paths = new Set<string>();
  for (const definition of kinds.definitions()) {
    for (const version of definition.versions) paths.add(pathOf(definition, version));
  }
  return [...paths];
}

function pathOf({ group }: KindDefinition, { name }: ServedVersion): string {
  return group === '' ? `api/${name}` : `apis/${group}/${name}`;
}

type Served = readonly [KindDefinition, ServedVersion];

function servedUnder(kinds: KindRegistry, path: string): Served[] {
  return kinds
    .definitions()
    .flatMap((definition) =>
      definition.versions
        .filter((version) => pathOf(definition, version) === path)
        .map((version): Served => [definition, version]),
    );
}

/** What the document of a path of {@link documentPaths} is made of: while these are the same objects, so is it. */
export function partsOf(kinds: KindRegistry, path: string): readonly KindDefinition[] {
  return kinds
    .definitions()
    .filter((definition) =>
      definition.versions.some((version) => `${pathOf(definition, version)}/`.startsWith(`${path}/`)),
    );
}

/** The document of a path of {@link documentPaths}; undefined when nothing is served there. */
export function documentV3(kinds: KindRegistry, path: string): Json | undefined {
  const schemas: Json = {};
  const paths: Json = {};
  const served = servedUnder(kinds, path);
  for (const [definition, version] of served) {
    const name = collectKind(definition, version, schemas, '#/components/schemas/');
    addPaths(paths, path, definition, version, (request) =>
      operationV3(request, `#/components/schemas/${name}`),
    );
  }
  if (served.length === 0) {
    if (!documentPaths(kinds).includes(path)) return undefined;
    const type = path === 'api' ? 'meta.v1.APIVersions' : 'meta.v1.APIGroup';
    const $ref = `#/components/schemas/${collectType(type, schemas, '#/components/schemas/')}`;
    const content = { 'application/json': { schema: { $ref } } };
    paths[`/${path}/`] = {
      get: { description: 'what the group has', responses: { 200: { description: 'OK', content } } },
    };
  }
  return { openapi: '3.0.0', info: INFO, paths, components: { schemas } };
}

/** All group versions in one document of the older form. */
export function documentV2(kinds: KindRegistry): Json {
  const definitions: Json = {};
  const paths: Json = {};
  const prefix: RefPrefix = '#/definitions/';
  for (const path of groupVersionPaths(kinds)) {
    for (const [definition, version] of servedUnder(kinds, path)) {
      const name = collectKind(definition, version, definitions, prefix);
      addPaths(paths, path, definition, version, (request) => operationV2(request, `${prefix}${name}`));
    }
  }
  return { swagger: '2.0', info: INFO, paths, definitions };
}

/** One operation to describe. */
interface Operation {
  readonly verb: string;
  readonly action: string;
  readonly gvk: Json;
  /** A kind of a CustomResourceDefinition. */
  readonly isCustom: boolean;
}

const METHODS: readonly (readonly [verb: string, method: string, action: string, isCollection: boolean])[] = [
  ['list', 'get', 'list', true],
  ['create', 'post', 'post', true],
  ['deletecollection', 'delete', 'deletecollection', true],
  ['get', 'get', 'get', false],
  ['update', 'put', 'put', false],
  ['patch', 'patch', 'patch', false],
  ['delete', 'delete', 'delete', false],
];

function addPaths(
  paths: Json,
  root: string,
  definition: KindDefinition,
  version: ServedVersion,
  describe: (operation: Operation) => Json,
): void {
  const space = definition.namespaced ? '/namespaces/{namespace}' : '';
  const collection = `/${root}${space}/${definition.plural}`;
  const item = `${collection}/{name}`;
  const verbs = definition.verbs ?? ALL_VERBS;
  const [ofCollection, ofItem]: [Json, Json] = [{}, {}];
  for (const [verb, method, action, isCollection] of METHODS) {
    if (!verbs.includes(verb)) continue;
    const isCustom = version.type === undefined;
    const described = describe({ verb, action, gvk: gvkOf(definition, version.name), isCustom });
    (isCollection ? ofCollection : ofItem)[method] = described;
  }
  if (Object.keys(ofCollection).length > 0) paths[collection] = ofCollection;
  if (Object.keys(ofItem).length > 0) paths[item] = ofItem;
}

const WRITE_PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation'];
/** `kubectl apply` takes the last one for every kind that names it, and custom ones cannot be patched so. */
const CUSTOM_PATCH_TYPES = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
];
const PATCH_TYPES = [...CUSTOM_PATCH_TYPES, 'application/strategic-merge-patch+json'];

function parametersOf(verb: string): string[] {
  switch (verb) {
    case 'create':
    case 'update':
      return WRITE_PARAMETERS;
    case 'patch':
      return [...WRITE_PARAMETERS, 'force'];
    default:
      return [];
  }
}

function operationV3({ verb, action, gvk, isCustom }: Operation, ref: string): Json {
  const schema = { $ref: ref };
  const patchTypes = isCustom ? CUSTOM_PATCH_TYPES : PATCH_TYPES;
  const types = verb === 'patch' ? patchTypes : ['application/json'];
  const hasBody = ['create', 'update', 'patch'].includes(verb);
  return {
    parameters: parametersOf(verb).map((name) => ({
      name,
      in: 'query',
      schema: { type: 'string', uniqueItems: true },
    })),
    ...(hasBody
      ? { requestBody: { content: Object.fromEntries(types.map((type) => [type, { schema }])) } }
      : {}),
    responses: { 200: { description: 'OK', content: { 'application/json': { schema } } } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvk,
  };
}

function operationV2({ verb, action, gvk }: Operation, ref: string): Json {
  return {
    parameters: parametersOf(verb).map((name) => ({ name, in: 'query', type: 'string', uniqueItems: true })),
    responses: { 200: { description: 'OK', schema: { $ref: ref } } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvk,
  };
}
