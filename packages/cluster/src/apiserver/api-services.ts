/** Keeps one APIService per group version that is served, as a real server does for its own and those of custom resources. */

import { type Json, timestamp } from './object.ts';
import { afterCommits } from './registry/after-commits.ts';
import { createObject } from './registry/create.ts';
import { deleteObject } from './registry/delete.ts';
import type { ServerParts } from './registry/environment.ts';
import { SERVER_CONTEXT } from './registry/server-context.ts';
import { toKind } from './request/admit-body.ts';

const GROUP = 'apiregistration.k8s.io';
const TABLE = `apiservices.${GROUP}`;

/** Publishes the served group versions, and from then on each change. */
export function startApiServices(env: ServerParts): void {
  publish(env);
  // Kinds come and go inside of commits.
  env.kinds.onChange(afterCommits(() => publish(env)));
}

function publish(env: ServerParts): void {
  const kind = env.kinds.find(GROUP, 'v1', 'apiservices');
  if (kind === undefined) return;
  const served = new Map(
    env.kinds.definitions().flatMap(({ group, versions }) => {
      const isCustom = versions[0]?.type === undefined;
      return versions.map((version) => [
        nameOf(group, version.name),
        { group, version: version.name, isCustom },
      ]);
    }),
  );
  for (const { name } of [...env.store.values(TABLE)]) {
    if (!served.has(name)) deleteObject(env, kind.definition, '', name, {}, SERVER_CONTEXT);
  }
  for (const [name, about] of served) {
    if (env.store.get(TABLE, '', name) !== undefined) continue;
    const object = toKind(kind, apiService(name, about, env.clock.now()), 'Strict', []);
    createObject(env, kind, '', object, SERVER_CONTEXT);
  }
}

function nameOf(group: string, version: string): string {
  return `${version}.${group}`;
}

interface ServedVersion {
  readonly group: string;
  readonly version: string;
  readonly isCustom: boolean;
}

/** An APIService of this server's own; pure. The priorities put the core group first and custom resources last. */
function apiService(name: string, { group, version, isCustom }: ServedVersion, nowMs: number): Json {
  const groupPriorityMinimum = group === '' ? 18_000 : isCustom ? 1_000 : 17_000;
  return {
    apiVersion: `${GROUP}/v1`,
    kind: 'APIService',
    metadata: {
      name,
      labels: { 'kube-aggregator.kubernetes.io/automanaged': isCustom ? 'true' : 'onstart' },
    },
    spec: {
      ...(group === '' ? {} : { group }),
      version,
      groupPriorityMinimum,
      versionPriority: isCustom ? 100 : 15,
    },
    status: {
      conditions: [
        {
          type: 'Available',
          status: 'True',
          lastTransitionTime: timestamp(nowMs),
          reason: 'Local',
          message: 'Local APIServices are always available',
        },
      ],
    },
  };
}
