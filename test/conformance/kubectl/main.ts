/**
 * `npm run conformance:differential [-- --record] [--kubectl PATH] [--show] [part of a name…]`: kubectl's conversations with a real cluster
 * and with the embedded one. See README.md.
 *
 * Without `--record` it holds them with the embedded cluster and tells what is not as recorded. With it, and KUBECONFIG naming a cluster of
 * one node that has the image, it records those that are new or were changed, or all that are named.
 */
import { parseArgs } from 'node:util';
import { THEMES } from './conversations/index.ts';
import type { Answer } from './harness/answers.ts';
import { compare, describeAnswers } from './harness/compare.ts';
import type { Conversation, Theme } from './harness/conversation.ts';
import { openEmbedded } from './harness/embedded.ts';
import { hold, type Place } from './harness/hold.ts';
import { inTurns } from './harness/in-turns.ts';
import { knownDifferences } from './harness/known.ts';
import { askKubectl } from './harness/kubectl.ts';
import { openReal } from './harness/real.ts';
import {
  answersOf,
  digestOf,
  type RecordedConversation,
  readRecording,
  withAnswers,
  writeRecording,
} from './harness/recording.ts';

const { values, positionals } = parseArgs({
  options: {
    record: { type: 'boolean', default: false },
    kubectl: { type: 'string', default: process.env.KUBECTL ?? 'kubectl' },
    parallel: { type: 'string', default: '4' },
  },
  allowPositionals: true,
});
const kubectl = askKubectl(values.kubectl);
const atOnce = Number(values.parallel);
process.exitCode = await (values.record ? record() : replay());

function isWanted(theme: string, { name }: Conversation): boolean {
  return positionals.length === 0 || positionals.some((part) => theme === part || name.includes(part));
}

async function record(): Promise<number> {
  const { KUBECONFIG } = process.env;
  if (KUBECONFIG === undefined || KUBECONFIG === '')
    throw new Error('set KUBECONFIG to the cluster to record');
  await using real = await openReal(KUBECONFIG, kubectl);
  let failures = 0;
  for (const theme of THEMES) failures += await recordTheme(theme, real.place, real.version);
  return failures === 0 ? 0 : 1;
}

/** How many could not be held. */
async function recordTheme({ theme, conversations }: Theme, place: Place, server: string): Promise<number> {
  const before = readRecording(theme);
  const isOther = before.server !== server;
  const present = new Map(isOther ? [] : before.conversations.map((recorded) => [recorded.name, recorded]));
  const clients = isOther ? [] : before.clients;
  const hasClient = clients.includes(kubectl.version);
  const todo = conversations.filter((conversation) => {
    const recorded = present.get(conversation.name);
    const isStale = recorded?.digest !== digestOf(conversation) || !hasClient;
    return isWanted(theme, conversation) && (isStale || positionals.length > 0);
  });
  if (todo.length === 0) return 0;
  let failures = 0;
  await inTurns(todo, atOnce, async (conversation) => {
    const answers = await tryHold(conversation, place);
    if (answers === undefined) failures += 1;
    else present.set(conversation.name, recordedOf(conversation, present.get(conversation.name), answers));
  });
  const kept = conversations.flatMap(({ name }) => present.get(name) ?? []);
  writeRecording(theme, {
    server,
    clients: [...new Set([...clients, kubectl.version])],
    conversations: kept,
  });
  console.log(
    `${theme}: ${todo.length - failures} recorded, ${kept.length} of ${conversations.length} there`,
  );
  return failures;
}

function recordedOf(
  conversation: Conversation,
  present: RecordedConversation | undefined,
  answers: readonly Answer[],
): RecordedConversation {
  const digest = digestOf(conversation);
  const others = present?.digest === digest ? present.answers : {};
  return { name: conversation.name, digest, answers: withAnswers(others, kubectl.version, answers) };
}

async function tryHold(conversation: Conversation, place: Place): Promise<Answer[] | undefined> {
  try {
    return await hold(conversation, place);
  } catch (error) {
    console.log(`${conversation.name} failed: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

async function replay(): Promise<number> {
  await using embedded = await openEmbedded(kubectl);
  let equal = 0;
  let known = 0;
  const others: string[] = [];
  for (const { theme, conversations } of THEMES) {
    const recording = readRecording(theme);
    const wanted = conversations.filter((conversation) => isWanted(theme, conversation));
    await inTurns(wanted, atOnce, async (conversation) => {
      const { name } = conversation;
      const recorded = recording.conversations.find((one) => one.name === name);
      const answers = recorded && answersOf(recording, recorded, kubectl.version);
      if (answers === undefined) return others.push(`${name}: not recorded`);
      const places = knownDifferences(kubectl.version).get(name) ?? [];
      if (places === 'unheld') {
        known += 1;
        return undefined;
      }
      const ours = await tryHold(conversation, embedded.place);
      if (ours === undefined) return others.push(`${name}: not held`);
      const { unknown, past } = compare(answers, ours, places);
      if (unknown.length > 0)
        console.log(`\n## ${theme} ${name}\n${describeAnswers(answers, ours, unknown)}`);
      if (past.length > 0)
        console.log(`\n## ${theme} ${name}: answers ${past.join(', ')} are as recorded now`);
      if (unknown.length + past.length > 0) others.push(name);
      else if (places.length > 0) known += 1;
      else equal += 1;
      return undefined;
    });
  }
  console.log(`\n${equal} equal, ${known} differ as known, ${others.length} otherwise: ${others.join(', ')}`);
  return others.length === 0 ? 0 : 1;
}
