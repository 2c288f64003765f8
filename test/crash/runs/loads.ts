/** Processes that load applications and nodes, or use the former, wherever they are. */
import type { Pod } from '@turnsole/kube/kinds/core';
import { type Effect, effectIn, LOAD_VARIABLE } from './effect.ts';
import type { SeenProcess } from './processes.ts';

/** Stand-ins for k6, and for the clients of databases; the former has the application in its words, the others what they use. */
const CLIENT = /\/(k6-stand-in|stream|liveness)\.mjs$/;
const CLIENT_VARIABLES = ['KAFKA_SERVICE', 'CASSANDRA_SVC_NAME'] as const;

/** @param runs names of engines by their runs */
export function ofLoads(
  apps: readonly Pod[],
  processes: readonly SeenProcess[],
  runs: ReadonlyMap<string, string>,
): Effect[] {
  return processes.flatMap((process_) => {
    const { pid, words, variable } = process_;
    if (words.some((word) => CLIENT.test(word))) return ofClient(process_);
    const injection = variable(LOAD_VARIABLE);
    if (injection === undefined) return [];
    const what = `load ${pid} (${words.join(' ').slice(0, 60)})`;
    const pod = apps.find(({ metadata }) => injection.includes(metadata.name));
    if (pod !== undefined) return [effectIn(pod, what)];
    const [run = '', , node] = injection.split('.');
    // A load of a pod that is gone, or of another cluster.
    if (!runs.has(run) || !/^turnsole-\d+$/.test(node ?? '')) return [];
    return [{ what: `${what} on ${node}`, of: runs.get(run), node }];
  });
}

function ofClient({ pid, words, variable }: SeenProcess): Effect[] {
  const text = [...words, ...CLIENT_VARIABLES.map((name) => variable(name) ?? '')].join(' ');
  const of = /\bapp-\d+/.exec(text)?.[0];
  return of === undefined ? [] : [{ what: `client ${pid} (${words[1]})`, of, node: undefined }];
}
