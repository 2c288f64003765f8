import { isObject, parseObject, textOf } from '@turnsole/kube/text/json';
import type { ManifestVerb } from './allowed.ts';
import type { Command } from './dispatcher.ts';
import { type HaltContext, haltChaos, resumeChaos } from './halt-command.ts';
import { type LogContext, logsCommand } from './logs-command.ts';
import { changeByManifest, type ManifestContext } from './manifest-command.ts';
import { type ListingContext, listing, NAMESPACE_NAMES, OBJECTS } from './objects-command.ts';
import { type OwnRequests, ownRequest, type ReplyContext } from './own-requests.ts';
import { deleteExperiment, deleteRun, type RunContext, stopRun } from './run-command.ts';

/** What all commands need. */
interface CommandContext {
  readonly manifests: ManifestContext;
  readonly runs: RunContext;
  readonly listings: ListingContext;
  readonly logs: LogContext;
  readonly halts: HaltContext;
  readonly replies: ReplyContext;
  /** Requests of our own; servers that do not know of them do not ask. */
  readonly own: OwnRequests;
}

/** Halting and resuming keep their order. */
const HALT_KEY = 'halt';

/**
 * Every request type of ChaosCenter's server, exact but for capitals: upstream also takes parts of these words, and the empty text for all
 * of them.
 */
export function commandsOf(context: CommandContext): Readonly<Record<string, Command>> {
  const { manifests, runs, listings, logs, halts, replies, own } = context;
  const byManifest = (verb: ManifestVerb): Command => ({
    // One object's changes come in order; which object it is stands in the manifest, which is parsed later.
    keyOf: ({ namespace, manifest }) => `manifest ${namespace} ${nameIn(manifest)}`,
    isChange: verb !== 'get',
    run: (action, signal) => changeByManifest(verb, action, manifests, signal),
  });
  const byRun = (work: typeof stopRun): Command => ({
    keyOf: ({ externalData }) => `run ${externalData}`,
    isChange: true,
    run: ({ externalData }, signal) => work(externalData, runs, signal),
  });
  const objects = listing(OBJECTS, listings);
  const namespaces = listing(NAMESPACE_NAMES, listings);
  return {
    create: byManifest('create'),
    update: byManifest('update'),
    delete: byManifest('delete'),
    get: byManifest('get'),
    workflow_delete: byRun(deleteExperiment),
    workflow_run_delete: byRun(deleteRun),
    workflow_run_stop: byRun(stopRun),
    logs: {
      keyOf: ({ requestID }) => `logs ${requestID}`,
      isChange: false,
      run: logsCommand(logs),
    },
    // Ours: servers that do not know of it do not ask for it.
    halt: {
      keyOf: () => HALT_KEY,
      isChange: true,
      run: ({ externalData }, signal) => haltChaos(externalData, halts, signal),
    },
    resume: { keyOf: () => HALT_KEY, isChange: true, run: (_action, signal) => resumeChaos(halts, signal) },
    kubeobject: objects,
    kubeobjects: objects,
    namespace: namespaces,
    namespaces,
    kubenamespace: namespaces,
    kubenamespaces: namespaces,
    ...Object.fromEntries(
      Object.entries(own).map(([type, answer]) => [type, ownRequest(answer, replies)] as const),
    ),
  };
}

/** The name of the object in a manifest, good enough to keep objects apart: all without a readable name share one line. Pure. */
function nameIn(manifest: string): string {
  const metadata = parseObject(manifest)?.metadata;
  return isObject(metadata) ? textOf(metadata.name) : '';
}
