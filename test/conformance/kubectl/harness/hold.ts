import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { KubeClient } from '@turnsole/kube/client/types';
import { CONFIG_MAPS, NAMESPACES, SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { type Answer, answerOf } from './answers.ts';
import { type Conversation, namespaceOf, type Step } from './conversation.ts';
import type { Kubectl } from './kubectl.ts';
import { writeManifests } from './manifests.ts';
import { normaliseText } from './normalise-text.ts';
import { type Outcome, runLine } from './shell.ts';

/** A cluster to talk to. */
export interface Place {
  readonly client: KubeClient;
  readonly kubeconfig: string;
  readonly server: string;
  readonly node: string;
  readonly kubectl: Kubectl;
  /** Folder of what kubectl remembers of the server's kinds, for all conversations. */
  readonly cache: string;
  /** For one line. */
  readonly limitMs: number;
}

/** How long a line that is said again waits: what it waits for takes a server up to some seconds to notice. */
const AGAIN_MS = 100;

/**
 * Holds a conversation in a namespace of its own, and gives the answers that are compared, without what differs from run to run.
 *
 * @throws Error when a setup line fails, or a line takes longer than the limit
 */
export async function hold(conversation: Conversation, place: Place): Promise<Answer[]> {
  const ns = namespaceOf(conversation);
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-kubectl-'));
  const { node, server, limitMs } = place;
  const env = environment(ns, folder, place);
  const run = (line: string): Promise<Outcome> => runLine(line, { folder, env, limitMs });
  try {
    await openNamespace(ns, place);
    writeManifests(folder, ns, node);
    await mustRun(
      `kubectl config view --raw --flatten > config && kubectl --kubeconfig config config set-context --current --namespace ${ns}`,
      {
        run: (line) => runLine(line, { folder, env: { ...env, KUBECONFIG: place.kubeconfig }, limitMs }),
      },
    );
    await mustRun('sed /^users:/,\\$d config > nobody', { run });
    const answers: Answer[] = [];
    for (const step of conversation.steps) {
      const outcome = await take(step, { run, limitMs });
      if (typeof step !== 'string' || outcome === undefined) continue;
      const lines = (text: string): string[] => {
        const normal = normaliseText(text, { node, server, folder });
        return conversation.sorted === true ? normal.toSorted() : normal;
      };
      answers.push(answerOf(step, outcome.code, lines(outcome.stdout), lines(outcome.stderr)));
    }
    return answers;
  } finally {
    for (const line of conversation.after ?? []) await run(line);
    await place.client.delete(NAMESPACES, ns).catch(() => undefined); // gone already, or never made
    await rm(folder, { recursive: true, force: true });
  }
}

interface Speaker {
  readonly run: (line: string) => Promise<Outcome>;
  readonly limitMs?: number;
}

async function take(step: Step, speaker: Speaker): Promise<Outcome | undefined> {
  if (typeof step === 'string') return speaker.run(step);
  if ('setup' in step) await mustRun(step.setup, speaker);
  else await sayUntil(step.until, step.prints, speaker);
  return undefined;
}

async function mustRun(line: string, { run }: Speaker): Promise<void> {
  const { code, stdout, stderr } = await run(line);
  if (code !== 0) throw new Error(`\`${line}\` ended with ${code}:\n${stdout}${stderr}`);
}

async function sayUntil(line: string, prints: RegExp, { run, limitMs = 0 }: Speaker): Promise<void> {
  const end = Date.now() + limitMs;
  for (;;) {
    const { stdout, stderr } = await run(line);
    if (prints.test(stdout + stderr)) return;
    if (Date.now() > end) {
      throw new Error(`\`${line}\` has not printed ${prints} within ${limitMs} ms, but:\n${stdout}${stderr}`);
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

/** Nothing of the user's own settings gets in. */
function environment(ns: string, folder: string, { kubectl, cache, node }: Place): Record<string, string> {
  const { PATH = '' } = process.env;
  const path = kubectl.path.includes('/') ? `${dirname(kubectl.path)}:${PATH}` : PATH;
  return {
    PATH: path,
    HOME: folder,
    KUBECONFIG: join(folder, 'config'),
    KUBECACHEDIR: cache,
    LC_ALL: 'C',
    KUBE_EDITOR: 'true', // none that waits for somebody to type
    TZ: 'UTC',
    NS: ns,
    NODE: node,
  };
}

/** Waits for what controllers put into each namespace, which lists show. */
async function openNamespace(name: string, { client, limitMs }: Place): Promise<void> {
  const options = { timeoutMs: limitMs };
  await waitForObject(client, NAMESPACES, name, (namespace) => namespace === undefined, options);
  await client.create(NAMESPACES, { metadata: { name } });
  const within = { ...options, namespace: name };
  await waitForObject(client, SERVICE_ACCOUNTS, 'default', (found) => found !== undefined, within);
  await waitForObject(client, CONFIG_MAPS, 'kube-root-ca.crt', (found) => found !== undefined, within);
}
