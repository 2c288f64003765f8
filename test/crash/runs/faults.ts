/** Faults that leave a trace which an auditor can see, and nothing else. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlreadyExists, isNotFound } from '@turnsole/kube/client/errors';
import { CONFIG_MAPS } from '@turnsole/kube/kinds/resources';
import type { Fault, FaultRegistry, Injection, PlanInput } from '../../../src/experiment/injection/fault.ts';
import type { TunableSchema } from '../../../src/experiment/injection/tunables.ts';

/** Names of config maps and files that mean: this injection is in force. */
export const MARK = 'crash-mark-';

const TUNABLES = {
  MARK_FOLDER: { type: 'text', default: '', description: 'Where marks are files.' },
} as const satisfies TunableSchema;

function plan({ tunables, targets }: PlanInput<TunableSchema>): Injection[] {
  // Both are variables of this experiment: text.
  const { MARK_FOLDER: folder, CHAOSENGINE: engine } = tunables as Record<string, string>;
  return targets.map((target) => ({
    id: target.name,
    target,
    parameters: { mark: `${MARK}${engine}.${target.name}`, folder },
  }));
}

const common = {
  summary: 'Leaves a mark per target while it is in force.',
  tunables: TUNABLES,
  targets: 'pods',
  shape: 'sustained',
  permissions: [],
  plan,
} as const;

/** A mark is a config map: done through the API. */
const markByApi: Fault = {
  ...common,
  name: 'mark-by-api',
  where: 'api',
  inject: async ({ target, parameters }, { client, signal }) => {
    const object = { metadata: { name: String(parameters.mark) } };
    try {
      await client.create(CONFIG_MAPS, object, { namespace: target.namespace ?? '', signal });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  },
  revert: async ({ target, parameters }, { client, signal }) => {
    try {
      const options = { namespace: target.namespace ?? '', signal };
      await client.delete(CONFIG_MAPS, String(parameters.mark), options);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  },
};

/** A mark is a file: done by a helper on the node. */
const markOnNode: Fault = {
  ...common,
  name: 'mark-on-node',
  where: 'node',
  inject: async ({ parameters }) => {
    await mkdir(String(parameters.folder), { recursive: true });
    await writeFile(join(String(parameters.folder), String(parameters.mark)), '');
  },
  revert: ({ parameters }) => rm(join(String(parameters.folder), String(parameters.mark)), { force: true }),
};

export const CRASH_FAULTS: FaultRegistry = new Map(
  [markByApi, markOnNode].map((fault) => [fault.name, () => Promise.resolve(fault)]),
);
