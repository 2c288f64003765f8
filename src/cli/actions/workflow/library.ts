import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import { allInOrder } from '@turnsole/kube/base/all-in-order';
import { systemClock } from '@turnsole/kube/base/clock';
import { type KubeObject, objectKey } from '@turnsole/kube/kinds/core';
import {
  CLUSTER_WORKFLOW_TEMPLATES,
  CRON_WORKFLOWS,
  WORKFLOW_TEMPLATES,
} from '@turnsole/workflows/kinds/resources';
import type { ClusterOptions, ClusterSession } from '../../../runs/session/open-cluster.ts';
import { BadInputError, CommandError, type InputProblem } from '../../../services/errors.ts';
import { applyManifests, namespaceOf, placeOf } from '../../../services/manifests/apply.ts';
import { loadManifests, type Manifest } from '../../../services/manifests/load.ts';
import { deleteOne } from '../../../services/objects.ts';
import { clusterLibrary } from '../../../services/workflows/cluster-library.ts';
import { checkWorkflows } from '../../../services/workflows/manifest-problems.ts';
import { formatLibrary } from '../../print/workflow/library.ts';
import { listText, objectText, onCluster, print, withKind } from './session.ts';

const RESOURCES = {
  WorkflowTemplate: WORKFLOW_TEMPLATES,
  ClusterWorkflowTemplate: CLUSTER_WORKFLOW_TEMPLATES,
  CronWorkflow: CRON_WORKFLOWS,
} as const;
type LibraryKind = keyof typeof RESOURCES;

/** Options of the commands of templates and CronWorkflows. */
export interface LibraryOptions extends ClusterOptions {
  readonly output?: 'name' | 'json' | 'yaml';
  readonly all?: boolean;
}

/** Options of their lists. */
export interface LibraryListOptions extends ClusterOptions {
  readonly selector?: string;
  readonly allNamespaces?: boolean;
  readonly output?: 'name' | 'json' | 'yaml' | 'wide';
}

/** Creates the objects of a kind that files hold; one that is there already is refused. */
export function create(
  kind: LibraryKind,
  files: readonly string[],
  options: LibraryOptions,
): Promise<number> {
  return store(kind, files, options, 'created');
}

/** Applies the objects of a kind that files hold over those of the cluster. */
export function update(
  kind: LibraryKind,
  files: readonly string[],
  options: LibraryOptions,
): Promise<number> {
  return store(kind, files, options, 'applied');
}

async function store(
  kind: LibraryKind,
  files: readonly string[],
  options: LibraryOptions,
  done: 'created' | 'applied',
): Promise<number> {
  const manifests = await loadManifests(files);
  const meant = manifests.filter(
    ({ object }) => object.kind === kind && object.apiVersion.startsWith('argoproj.io/'),
  );
  if (meant.length === 0)
    throw new BadInputError([{ file: files.join(' '), code: 'NOTHING_TO_RUN', message: `no ${kind} found` }]);
  for (const { object } of manifests.filter((one) => !meant.includes(one)))
    console.error(`not ${done}: ${object.kind} ${object.metadata.name} is no ${kind}`);
  return onCluster(options, async (session, signal) => {
    const { client, namespace } = session;
    const { problems } = checkWorkflows(meant, await clusterLibrary({ client, namespace, signal }));
    const twice = done === 'created' ? await present(meant, kind, session) : [];
    if (problems.length + twice.length > 0) throw new BadInputError([...problems, ...twice]);
    const context = { client, kinds: new KindResolver(client), namespace, signal };
    for (const { object } of await applyManifests(meant, context)) {
      if (options.output === undefined) console.log(`${kind} ${objectKey(object)} was ${done}`);
      else print(objectText(withKind(object, RESOURCES[kind]), options.output));
    }
    return 0;
  });
}

async function present(
  manifests: readonly Manifest[],
  kind: LibraryKind,
  { client, namespace }: ClusterSession,
): Promise<InputProblem[]> {
  const resource = RESOURCES[kind];
  const found = await Promise.all(
    manifests.map(async (manifest) => {
      const place = resource.namespaced ? { namespace: namespaceOf(manifest, namespace) } : {};
      const there = await client.find(resource, manifest.object.metadata.name, place);
      const message = `there is such a ${kind} already; \`update\` changes it`;
      return there === undefined ? [] : [{ ...placeOf(manifest), code: 'OBJECT_TWICE' as const, message }];
    }),
  );
  return found.flat();
}

/** Lists the objects of a kind. */
export function list(kind: LibraryKind, options: LibraryListOptions): Promise<number> {
  return onCluster(options, async ({ client, namespace }) => {
    const resource = RESOURCES[kind];
    const isEverywhere = options.allNamespaces === true || !resource.namespaced;
    const { items } = await client.list<KubeObject>(resource, {
      ...(isEverywhere ? {} : { namespace }),
      ...(options.selector !== undefined && { labelSelector: options.selector }),
    });
    const { output } = options;
    if (output !== undefined && output !== 'wide') print(listText(items, resource, output));
    else if (items.length === 0) console.error(`no ${kind}s found`);
    else {
      const look = { withNamespace: options.allNamespaces === true, nowMs: systemClock.now() };
      for (const line of formatLibrary(
        items.map((item) => withKind(item, resource)),
        look,
      ))
        console.log(line);
    }
    return 0;
  });
}

/** Shows objects of a kind. */
export function get(kind: LibraryKind, names: readonly string[], options: LibraryOptions): Promise<number> {
  return onCluster(options, async (session) => {
    for (const name of names) {
      const object = withKind(await findObject(kind, name, session), RESOURCES[kind]);
      print(objectText(object, options.output ?? 'yaml'));
    }
    return 0;
  });
}

/** @throws CommandError (bad input) when it does not exist */
async function findObject(
  kind: LibraryKind,
  name: string,
  { client, namespace }: ClusterSession,
): Promise<KubeObject> {
  const resource = RESOURCES[kind];
  const found = await client.find<KubeObject>(resource, name, resource.namespaced ? { namespace } : {});
  if (found !== undefined) return found;
  const place = resource.namespaced ? `${namespace}/${name}` : name;
  throw new CommandError(`there is no ${kind} ${place}`, 'NOT_FOUND');
}

/** Deletes objects of a kind. */
export function remove(
  kind: LibraryKind,
  names: readonly string[],
  options: LibraryOptions,
): Promise<number> {
  if (names.length > 0 === (options.all === true))
    throw new CommandError(`name ${kind}s, or say --all`, 'OPTION_INVALID');
  return onCluster(options, async (session, signal) => {
    const { client, namespace } = session;
    const resource = RESOURCES[kind];
    const meant =
      options.all === true
        ? (await client.list<KubeObject>(resource, resource.namespaced ? { namespace } : {})).items
        : await allInOrder(names.map((name) => findObject(kind, name, session)));
    for (const object of meant) {
      await deleteOne(client, resource, object, signal);
      console.log(`${kind} ${objectKey(object)} was deleted`);
    }
    return 0;
  });
}
