/**
 * Small workflows that behave as those of Argo's end-to-end tests do, played by the engine: which nodes there are, and how they end. The workflows are
 * this project's own; what is expected of them is what Argo's tests expect of theirs.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Player, runningPod } from '@turnsole/workflows/engine/testing/player';
import type { ShutdownStrategy } from '@turnsole/workflows/kinds/workflow';
import { parse, stringify } from 'yaml';

type End =
  | 'Succeeded'
  | 'Failed'
  /** It begins, and does not end by itself. */
  | 'Running'
  | {
      readonly result?: string;
      readonly outputs?: Readonly<Record<string, string>>;
      /** The name of its outputs in the whole workflow, as its report has it. */
      readonly globalName?: string;
    };

interface Row {
  readonly about: string;
  readonly spec: unknown;
  /** How pods end, by the name that is shown; a list is for pods of one name, one after the other. */
  readonly ends?: Readonly<Record<string, End | readonly End[]>>;
  /** What is done once nothing can go on. */
  readonly does?: readonly { readonly wait?: number; readonly shutdown?: ShutdownStrategy }[];
  readonly phase: string;
  readonly message?: string;
  /** Phases of nodes by their names without the workflow's. */
  readonly nodes: Readonly<Record<string, string>>;
  /** What the containers were given, by node. */
  readonly args?: Readonly<Record<string, string>>;
}

const FILE = join(import.meta.dirname, 'behaviours/behaviours.yaml');
const rows = parse(readFileSync(FILE, 'utf8'), { maxAliasCount: -1 }) as readonly Row[];

/** More rounds than any of these workflows has pods and waits. */
const ROUNDS = 100;

function play({ spec, ends = {}, does = [] }: Row): Player {
  const player = new Player(stringify(spec));
  const left = new Map(Object.entries(ends).map(([name, end]) => [name, [end].flat() as End[]]));
  const open = [...does];
  for (let round = 0; round < ROUNDS && player.run.status.finishedAt === undefined; round += 1) {
    const [name] = player.pods('Pending');
    if (name !== undefined) endPod(player, name, left.get(name));
    else if (player.last?.wakeAt !== undefined && open.length === 0)
      player.wait(player.last.wakeAt - player.now);
    else act(player, open.shift());
  }
  return player;
}

function endPod(player: Player, name: string, left: End[] | undefined): void {
  const end = (left !== undefined && left.length > 1 ? left.shift() : left?.[0]) ?? 'Succeeded';
  player.feed({ kind: 'podChanged', node: player.node(name).id, pod: runningPod() });
  if (end === 'Running') return;
  if (typeof end === 'string') {
    player.finish(name, end);
    return;
  }
  const parameters = Object.entries(end.outputs ?? {}).map(([output, value]) => ({
    name: output,
    value,
    ...(end.globalName !== undefined && { globalName: end.globalName }),
  }));
  player.finish(name, 'Succeeded', {
    ...(end.result !== undefined && { result: end.result }),
    ...(parameters.length > 0 && { parameters }),
  });
}

/** Time passes, a client shuts the workflow down, or, once nothing is left to do, pods that run end by what they were sent. */
function act(player: Player, action: NonNullable<Row['does']>[number] | undefined): void {
  if (action?.wait !== undefined) player.wait(action.wait * 1000);
  else if (action?.shutdown !== undefined) player.feed({ kind: 'specChanged', shutdown: action.shutdown });
  else
    for (const { type, phase, displayName, taskResultSynced } of [...player.run.nodes.values()])
      if (type === 'Pod' && (phase === 'Running' || taskResultSynced === false))
        player.finish(displayName, 'Failed');
}

function outcomeOf(player: Player): Pick<Row, 'phase' | 'message' | 'nodes' | 'args'> {
  const nodes = [...player.run.nodes.values()];
  const shown = (name: string): string => (name === 'w' ? '.' : name.slice(1));
  const args = player.actions.flatMap((action) => {
    const list = action.kind === 'createPod' ? action.template.container?.args : undefined;
    const node = action.kind === 'createPod' ? player.run.nodes.get(action.node) : undefined;
    return list === undefined || node === undefined ? [] : [[shown(node.name), list.join(' ')]];
  });
  const { phase, message } = player.run.status;
  return {
    phase,
    ...(message !== undefined && { message: message.replaceAll(/w-\d+/g, '…') }),
    nodes: Object.fromEntries(nodes.map(({ name, phase: of }) => [shown(name), of])),
    ...(args.length > 0 && { args: Object.fromEntries(args) }),
  };
}

describe('workflows behave as in Argo', () => {
  for (const row of rows) {
    test(row.about, () => {
      const { phase, message, nodes, args } = row;
      const expected = { phase, ...(message !== undefined && { message }), nodes, ...(args && { args }) };
      assert.deepEqual(outcomeOf(play(row)), expected);
    });
  }
});
