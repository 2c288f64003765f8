/**
 * Flow schemas and priority levels, as those who look for them expect them. They have no effect: this server has limits of its own
 * (`http/flow-control.ts`).
 */
import { type Condition, findCondition, setCondition } from '@turnsole/kube/kinds/conditions';
import { ensureObjects } from './bootstrap.ts';
import { FLOW_SCHEMAS, PRIORITY_LEVELS } from './flow-control-defaults.ts';
import { schemaConditions } from './kinds/server-settings.ts';
import { asString, timestamp, valueAt } from './object.ts';
import { afterCommits } from './registry/after-commits.ts';
import type { ServerParts } from './registry/environment.ts';
import { SERVER_CONTEXT } from './registry/server-context.ts';
import { updateObject } from './registry/update.ts';
import { objectOf } from './stored-object.ts';

const GROUP = 'flowcontrol.apiserver.k8s.io';
const SCHEMAS = `flowschemas.${GROUP}`;
const LEVELS = `prioritylevelconfigurations.${GROUP}`;

/**
 * Gives the work to do before requests for objects of these tables: it makes those that are missing, as a real server does every minute,
 * and says in the status of schemas whether their levels exist, from then on after each change.
 */
export function flowControlOnDemand(env: ServerParts): ReadonlyMap<string, () => void> {
  let isFollowed = false;
  const prepare = (): void => {
    ensureObjects(env, GROUP, 'prioritylevelconfigurations', PRIORITY_LEVELS);
    ensureObjects(env, GROUP, 'flowschemas', FLOW_SCHEMAS);
    if (isFollowed) return;
    isFollowed = true;
    judgeSchemas(env);
    const soon = afterCommits(() => judgeSchemas(env));
    for (const table of [SCHEMAS, LEVELS]) env.store.observe(table, soon);
  };
  return new Map([SCHEMAS, LEVELS].map((table) => [table, prepare]));
}

function judgeSchemas(env: ServerParts): void {
  const kind = env.kinds.find(GROUP, 'v1', 'flowschemas');
  if (kind === undefined) return;
  for (const version of [...env.store.values(SCHEMAS)]) {
    const schema = objectOf(version);
    const level = asString(valueAt(schema, 'spec', 'priorityLevelConfiguration', 'name'));
    const wanted = dangling(level, env.store.get(LEVELS, '', level) !== undefined);
    const present = findCondition(schemaConditions(schema), 'Dangling');
    if (present?.status === wanted.status && present.message === wanted.message) continue;
    const lastTransitionTime = timestamp(env.clock.now());
    updateObject(env, {
      kind,
      namespace: '',
      name: version.name,
      subresource: 'status',
      produce: (current) => {
        const conditions = setCondition(schemaConditions(current), { ...wanted, lastTransitionTime });
        return { ...current, metadata: { ...current.metadata }, status: { conditions } };
      },
      context: SERVER_CONTEXT,
    });
  }
}

function dangling(level: string, isThere: boolean): Condition {
  const what = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
  return isThere
    ? { type: 'Dangling', status: 'False', reason: 'Found', message: `${what} and it exists` }
    : {
        type: 'Dangling',
        status: 'True',
        reason: 'NotFound',
        message: `${what} but there is no such object`,
      };
}
