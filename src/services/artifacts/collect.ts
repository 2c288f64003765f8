import { ApiError } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { CoreEvent, KubeObject, Pod } from '@turnsole/kube/kinds/core';
import {
  apiVersionOf,
  DAEMON_SETS,
  DEPLOYMENTS,
  EVENTS,
  JOBS,
  PODS,
  REPLICA_SETS,
  type Resource,
  SERVICES,
  STATEFUL_SETS,
} from '@turnsole/kube/kinds/resources';
import type { KeptLog } from '@turnsole/kube/runtime/log-tails';
import { asOneLine } from '@turnsole/kube/text/visible';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { CHAOS_ENGINES, CHAOS_EXPERIMENTS, CHAOS_RESULTS, type ChaosEngine } from '../../api/index.ts';
import { objectsText } from '../manifests/yaml-text.ts';
import { listOrNone } from '../objects.ts';
import { timelinePage } from '../report/timeline-page/model.ts';
import { renderTimelinePage } from '../report/timeline-page/render.ts';
import { resultsOf } from '../run/results.ts';
import { workflowPage } from '../workflows/workflow-page.ts';
import { findWorkflowRecord } from '../workflows/workflow-record.ts';

/** A file of what a run leaves for its readers. */
export interface Artifact {
  /** Relative, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** Lines of each log that are kept. */
const LOG_LINES = 5_000;

/** What is kept of each namespace. No Secrets and ConfigMaps: artifacts are often public. */
const KEPT: readonly Resource[] = [
  DEPLOYMENTS,
  STATEFUL_SETS,
  DAEMON_SETS,
  REPLICA_SETS,
  JOBS,
  PODS,
  SERVICES,
  CHAOS_EXPERIMENTS,
  CHAOS_ENGINES,
  CHAOS_RESULTS,
];

/**
 * What can be read of namespaces after a run: objects, Events, the logs of all pods (also of a container's run before its last restart), and
 * the timeline of each engine and workflow as a page. What may not be read is left out and named in `left-out.txt`.
 * @param kept the ends of logs of pods that may be gone: kept of those that are
 */
export async function collectArtifacts(
  client: KubeClient,
  namespaces: readonly string[],
  signal: AbortSignal,
  kept: readonly KeptLog[] = [],
): Promise<Artifact[]> {
  const left: string[] = [];
  const tried = async <T>(what: string, action: () => Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      left.push(`${what}: ${error.message}`);
      return otherwise;
    }
  };
  const files: Artifact[] = [];
  for (const namespace of namespaces) {
    const list = <T extends KubeObject>(resource: Resource): Promise<readonly T[]> =>
      tried(
        `${resource.plural} of ${namespace}`,
        async () => (await client.list<T>(resource, { namespace, signal })).items,
        [],
      );
    const objects = await Promise.all(
      KEPT.map(async (resource) => (await list(resource)).map((object) => printed(resource, object))),
    );
    // The kind is there only where its controller is.
    const workflows = await tried(
      `workflows of ${namespace}`,
      () => listOrNone<Workflow>(client, WORKFLOWS, { namespace, signal }),
      [],
    );
    const ofWorkflows = workflows.map((workflow) => printed(WORKFLOWS, workflow));
    const all = [...objects.flat(), ...ofWorkflows];
    files.push({ path: `${namespace}/objects.yaml`, text: `${objectsText(all, 'yaml')}\n` });
    files.push({ path: `${namespace}/events.txt`, text: eventsText(await list<CoreEvent>(EVENTS)) });
    const pods = await list<Pod>(PODS);
    for (const pod of pods) files.push(...(await logsOf(pod, client, signal, tried)));
    const there = new Set(pods.map(({ metadata }) => metadata.uid));
    files.push(...kept.filter((log) => log.namespace === namespace && !there.has(log.uid)).map(keptFile));
    for (const engine of await list<ChaosEngine>(CHAOS_ENGINES)) {
      const { name } = engine.metadata;
      const results = await tried(`results of ${namespace}`, () => resultsOf(client, namespace, name), []);
      const page = timelinePage({ name, namespace, engine, results, runId: engine.status?.runId });
      files.push({ path: `${namespace}/${name}-timeline.html`, text: renderTimelinePage(page) });
    }
    for (const { metadata } of workflows) {
      const { name } = metadata;
      const what = `workflow ${namespace}/${name}`;
      const record = await tried(what, () => findWorkflowRecord(client, namespace, name), undefined);
      if (record === undefined) continue;
      const text = renderTimelinePage(workflowPage(record));
      files.push({ path: `${namespace}/workflow-${name}-timeline.html`, text });
    }
  }
  return left.length === 0 ? files : [...files, { path: 'left-out.txt', text: `${left.join('\n')}\n` }];
}

/** Pure. */
function keptFile({ namespace, name, container, text, leftOutBytes }: KeptLog): Artifact {
  const before = leftOutBytes === 0 ? '' : `[${leftOutBytes} bytes before this are left out]\n`;
  return { path: `${namespace}/logs/${name}/${container}.log`, text: `${before}${text}` };
}

/** An object as people read it: items of lists do not say what they are. Pure. */
function printed(resource: Resource, object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object, metadata };
}

/** A line per Event, the oldest first. Pure. */
function eventsText(events: readonly CoreEvent[]): string {
  const lines = events.map(
    ({ metadata, lastTimestamp, eventTime, type, reason, involvedObject, message, count }) => {
      const time = String(lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '');
      const times = count === undefined || count < 2 ? '' : ` (${count} times)`;
      return asOneLine(
        `${time}  ${type}  ${reason}  ${involvedObject.kind}/${involvedObject.name}  ${message ?? ''}${times}`,
      );
    },
  );
  return lines.length === 0 ? '' : `${lines.toSorted().join('\n')}\n`;
}

async function logsOf(
  { metadata, status }: Pod,
  client: KubeClient,
  signal: AbortSignal,
  tried: <T>(what: string, action: () => Promise<T>, otherwise: T) => Promise<T>,
): Promise<Artifact[]> {
  const { name, namespace = '' } = metadata;
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const wanted = containers
    // A container that has never run has no log.
    .filter(({ state, lastState }) => state?.waiting === undefined || lastState?.terminated !== undefined)
    .flatMap(({ name: container, restartCount, state }) => [
      ...(restartCount > 0 ? [{ container, previous: true }] : []),
      ...(state?.waiting === undefined ? [{ container, previous: false }] : []),
    ]);
  const files = await Promise.all(
    wanted.map(async ({ container, previous }): Promise<Artifact | undefined> => {
      const options = { namespace, container, previous, tailLines: LOG_LINES, signal };
      const text = await tried(
        `log of ${container} of pod ${namespace}/${name}`,
        () => client.log(name, options),
        undefined,
      );
      const file = `${container}${previous ? '.before-restart' : ''}.log`;
      return text === undefined ? undefined : { path: `${namespace}/logs/${name}/${file}`, text };
    }),
  );
  return files.filter((file) => file !== undefined);
}
