/**
 * Aggregated discovery: all versions of all groups in one document, where a client takes it.
 * Source: kubernetes.io, API discovery, Aggregated discovery; headers as kube-apiserver 1.32 answers.
 */
import { createHash } from 'node:crypto';
import { type ApiReply, type ApiRequest, JSON_TYPE, jsonReply } from '../http/exchange.ts';
import { includesType, mediaRanges } from '../http/media-ranges.ts';
import type { KindDefinition, ServedVersion } from '../kinds/kind.ts';
import type { KindRegistry } from '../registry/registry.ts';
import { groupsOf, servedKinds, subresourcesOf, verbsOf } from './groups.ts';

const GROUP = 'apidiscovery.k8s.io';
const KIND = 'APIGroupDiscoveryList';
type Version = 'v2' | 'v2beta1';

interface Items {
  /** The JSON of the list of groups, which is the same in both versions. */
  readonly json: string;
  readonly etag: string;
}

/** Serves the documents of `/api` and `/apis`; they are made when asked for and kept until the kinds change. */
export class AggregatedDiscovery {
  readonly #kinds: KindRegistry;
  readonly #items = new Map<boolean, Items>();
  #generation = -1;

  constructor(kinds: KindRegistry) {
    this.#kinds = kinds;
  }

  /**
   * The answer for `/api` (`isCore`) or `/apis`; undefined where the client takes only the older forms. As in a real server, a client
   * that takes both gets this one, whatever weights it gives.
   */
  answer({ headers }: ApiRequest, isCore: boolean): ApiReply | undefined {
    const version = acceptedVersion(headers.accept ?? '');
    if (version === undefined) return undefined;
    const { json, etag } = this.#of(isCore);
    const caching = { etag, vary: 'Accept', 'cache-control': 'public' };
    if (headers['if-none-match'] === etag) return { status: 304, headers: caching, body: [] };
    const head = JSON.stringify({ kind: KIND, apiVersion: `${GROUP}/${version}`, metadata: {} });
    return jsonReply(200, [Buffer.from(`${head.slice(0, -1)},"items":${json}}`)], {
      ...caching,
      'content-type': `${JSON_TYPE};g=${GROUP};v=${version};as=${KIND}`,
    });
  }

  #of(isCore: boolean): Items {
    if (this.#generation !== this.#kinds.generation) {
      this.#items.clear();
      this.#generation = this.#kinds.generation;
    }
    let items = this.#items.get(isCore);
    if (items === undefined) {
      const json = JSON.stringify(groups(this.#kinds, isCore));
      items = { json, etag: `"${createHash('sha512').update(json).digest('hex').toUpperCase()}"` };
      this.#items.set(isCore, items);
    }
    return items;
  }
}

function acceptedVersion(accept: string): Version | undefined {
  if (!accept.includes(KIND)) return undefined;
  for (const range of mediaRanges(accept)) {
    const { g, v, as } = Object.fromEntries(range.parameters);
    const isAggregated = g === GROUP && as === KIND && includesType(range, JSON_TYPE);
    if (isAggregated && (v === 'v2' || v === 'v2beta1')) return v;
  }
  return undefined;
}

function groups(kinds: KindRegistry, isCore: boolean): object[] {
  return [...groupsOf(kinds)]
    .filter(([name]) => (name === '') === isCore)
    .map(([name, versions]) => ({
      metadata: { ...(name === '' ? {} : { name }), creationTimestamp: null },
      versions: versions.map((version) => ({
        version,
        resources: servedKinds(kinds, name, version).map((kind) => resource(...kind)),
        freshness: 'Current',
      })),
    }));
}

function resource(definition: KindDefinition, served: ServedVersion): object {
  const { name: version } = served;
  const { plural, singular, group, kind, shortNames, categories } = definition;
  const subresources = subresourcesOf(definition, served).map((sub) => ({
    subresource: sub.name,
    responseKind: { group: sub.group ?? group, version: sub.version ?? version, kind: sub.kind },
    verbs: sub.verbs,
  }));
  return {
    resource: plural,
    responseKind: { group, version, kind },
    scope: definition.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: verbsOf(definition),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}
