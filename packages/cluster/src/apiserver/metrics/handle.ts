/** Requests to metrics.k8s.io: the values are measured now, or were a moment ago. */
import type { Node, Pod } from '@turnsole/kube/kinds/core';
import type { Version } from '../../store/index.ts';
import { listReply } from '../handlers/list-reply.ts';
import { Renderer } from '../handlers/render.ts';
import { type ApiReply, jsonReply } from '../http/exchange.ts';
import { methodNotAllowed, notFound } from '../http/status.ts';
import type { ApiObject } from '../object.ts';
import type { ResourceRequest } from '../request/request.ts';
import { isSelected, parseSelection } from '../selectors/selection.ts';
import type { NodeReach } from '../subresources/node-reach.ts';
import { METRICS_GROUP } from './kinds.ts';
import { nodeMetrics, podMetrics } from './objects.ts';
import type { PodUsage, UsageSource } from './usage.ts';

/** Answers get and list of pods and nodes. What has no figures yet is left out of lists, and not found by its name. */
export async function handleMetrics(
  request: ResourceRequest,
  source: UsageSource,
  reach: NodeReach | undefined,
): Promise<ApiReply> {
  const { env, kind, info, query, http } = request;
  if (info.verb !== 'get' && info.verb !== 'list') throw methodNotAllowed();
  const { definition } = kind;
  const isOfPods = definition.plural === 'pods';
  const selection = parseSelection(definition, query);
  const metrics = new Metrics(request, source, reach);
  const wanted = metrics.known(isOfPods ? 'pods' : 'nodes').filter((version) => {
    if (info.namespace !== '' && version.namespace !== info.namespace) return false;
    if (info.name !== '') return version.name === info.name;
    return isSelected(definition, selection, version);
  });
  const objects = await (isOfPods ? metrics.ofPods(wanted) : metrics.ofNodes(wanted));
  const renderer = new Renderer(kind, http.headers.accept, query.get('includeObject'), env.clock.now());
  if (info.verb === 'list') {
    return listReply(renderer, objects.map(asVersion), { resourceVersion: '' }, env.clock);
  }
  const [found] = objects;
  if (found === undefined) {
    const name = info.namespace === '' ? info.name : `${info.namespace}/${info.name}`;
    throw notFound({ group: METRICS_GROUP, plural: isOfPods ? 'podmetrics' : 'nodemetrics' }, name);
  }
  return jsonReply(200, [renderer.object(found)]);
}

class Metrics {
  readonly #request: ResourceRequest;
  readonly #source: UsageSource;
  readonly #reach: NodeReach | undefined;

  constructor(request: ResourceRequest, source: UsageSource, reach: NodeReach | undefined) {
    this.#request = request;
    this.#source = source;
    this.#reach = reach;
  }

  known(table: 'pods' | 'nodes'): Version[] {
    return [...this.#request.env.store.values(table)];
  }

  async ofPods(versions: readonly Version[]): Promise<ApiObject[]> {
    const silent = new Set(
      this.known('nodes')
        .filter((version) => !this.#answers(nodeOf(version)))
        .map(({ name }) => name),
    );
    // The pods of a node that does not answer have no metrics either.
    const pods = versions.map(podOf).filter(({ spec }) => !silent.has(spec?.nodeName ?? ''));
    const usages = await this.#source.usageOf(pods);
    const nowMs = this.#request.env.clock.now();
    return pods.flatMap((pod, index) => {
      const usage = usages[index];
      return usage === undefined ? [] : [podMetrics(pod, usage, nowMs)];
    });
  }

  async ofNodes(versions: readonly Version[]): Promise<ApiObject[]> {
    const nodes = versions.map(nodeOf).filter((node) => this.#answers(node));
    const names = new Set(nodes.map(({ metadata }) => metadata.name));
    const pods = this.known('pods')
      .map(podOf)
      .filter(({ spec }) => names.has(spec?.nodeName ?? ''));
    const usages = await this.#source.usageOf(pods);
    const byNode = new Map<string, PodUsage[]>(nodes.map(({ metadata }) => [metadata.name, []]));
    for (const [index, { spec }] of pods.entries()) {
      const usage = usages[index];
      if (usage !== undefined) byNode.get(spec?.nodeName ?? '')?.push(usage);
    }
    const nowMs = this.#request.env.clock.now();
    return nodes.map((node) =>
      nodeMetrics(node, byNode.get(node.metadata.name) ?? [], nowMs, this.#source.windowMs),
    );
  }

  #answers(node: Node): boolean {
    return this.#reach?.(node) === undefined;
  }
}

// Decoded with the types of a Pod and of a Node when they were written.
function podOf({ object }: Version): Pod {
  return object as unknown as Pod;
}

function nodeOf({ object }: Version): Node {
  return object as unknown as Node;
}

/** In the form of a stored version, for the renderer of lists. */
function asVersion(object: ApiObject): Version {
  const { name = '', namespace = '' } = object.metadata;
  const key = namespace === '' ? name : `${namespace}/${name}`;
  return { key, namespace, name, object, revision: 0, encoded: new Map(), size: 0 };
}
