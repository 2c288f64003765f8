import type { KubeObject } from '@turnsole/kube/kinds/core';
import type { Resource } from '@turnsole/kube/kinds/resources';
import { stringify } from 'yaml';
import {
  type ClusterOptions,
  type ClusterSession,
  openExisting,
} from '../../../runs/session/open-cluster.ts';
import { CommandError } from '../../../services/errors.ts';
import { onStopRequest } from '../../signals.ts';
import { withDetachedCluster } from '../../up/detached-cluster.ts';

/** Does something on the cluster that the options mean, until it is done or the user stops it. */
export async function onCluster(
  options: ClusterOptions,
  act: (session: ClusterSession, signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const stop = new AbortController();
  const unsubscribe = onStopRequest((_count, cause) => {
    stop.abort(new CommandError(`stopped by ${cause}; what runs in the cluster goes on`, 'STOPPED'));
  });
  try {
    const session = await openExisting(await withDetachedCluster(options), stop.signal);
    try {
      return await act(session, stop.signal);
    } finally {
      await session.close();
    }
  } finally {
    unsubscribe();
  }
}

/** An object as `-o json`, `-o yaml` or `-o name` prints it. Pure. */
export function objectText(object: KubeObject, output: string): string {
  if (output === 'name') return object.metadata.name ?? object.metadata.generateName ?? '';
  return output === 'json' ? JSON.stringify(object, null, 2) : `---\n${stringify(object).trimEnd()}`;
}

/** A list of objects as `-o json`, `-o yaml` or `-o name` prints it. Pure. */
export function listText(objects: readonly KubeObject[], resource: Resource, output: string): string {
  const whole = objects.map((object) => withKind(object, resource));
  if (output === 'name') return whole.map(({ metadata }) => metadata.name).join('\n');
  return output === 'json' ? JSON.stringify(whole, null, 2) : stringify(whole).trimEnd();
}

/** Items of a list may carry no kind. Pure. */
export function withKind<T extends KubeObject>(object: T, { group, version, kind }: Resource): T {
  return { apiVersion: `${group}/${version}`, ...object, kind };
}

export function print(text: string): void {
  if (text !== '') console.log(text);
}
