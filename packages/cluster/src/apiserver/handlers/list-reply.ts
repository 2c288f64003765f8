import type { Clock } from '@turnsole/kube/base/clock';
import type { Version } from '../../store/index.ts';
import { type ApiReply, JSON_TYPE, jsonReply, type StreamSink } from '../http/exchange.ts';
import { TurnBudget } from '../http/turn-budget.ts';
import { joinItems, type ListMeta, type ListParts, type Renderer } from './render.ts';

const PIECE_BYTES = 256 * 1024;
/** A reader that takes nothing for this long is cut off. */
const STALL_MS = 60_000;
const COMMA = Buffer.from(',');
const NOTHING = Buffer.alloc(0);

/** Longer lists are sent as they are made: no other client waits for them, and a slow reader holds a piece and not the whole. */
const MAX_WHOLE_ITEMS = 1_000;

/** The answer with a list. */
export function listReply(
  renderer: Renderer,
  versions: readonly Version[],
  metadata: ListMeta,
  clock: Clock,
): ApiReply {
  if (versions.length <= MAX_WHOLE_ITEMS || renderer.isYaml) {
    return jsonReply(200, renderer.list(versions, metadata));
  }
  const parts = renderer.parts(metadata);
  return {
    status: 200,
    headers: { 'content-type': JSON_TYPE },
    stream: (sink) => void streamList(parts, versions, sink, clock),
  };
}

/** Sends a long list piece by piece, each made when the one before was taken. Never rejects: a failure breaks the connection. */
async function streamList(
  parts: ListParts,
  versions: readonly Version[],
  sink: StreamSink,
  clock: Clock,
): Promise<void> {
  let isClosed = false;
  sink.onClose(() => {
    isClosed = true;
  });
  const turn = new TurnBudget();
  let { head } = parts;
  let items: Buffer[] = [];
  let length = 0;
  try {
    for (const version of versions) {
      if (isClosed) return;
      const item = parts.item(version);
      items.push(item);
      length += item.length;
      if (length >= PIECE_BYTES) {
        sink.write(joinItems(head, items, parts.prefix, NOTHING));
        head = COMMA;
        items = [];
        length = 0;
        await taken(sink, clock);
      }
      if (turn.isSpent) await turn.next();
    }
    // After a full piece there may be nothing left, and no comma to write.
    const last = items.length === 0 ? NOTHING : head;
    sink.write(joinItems(last, items, parts.prefix, parts.tail));
    sink.end();
  } catch {
    // The head is sent, so no Status can report it; a list that ends early is no JSON.
    sink.abort();
  }
}

async function taken(sink: StreamSink, clock: Clock): Promise<void> {
  const giveUp = clock.setTimer(STALL_MS, () => sink.abort(), { unref: true });
  await sink.drained();
  giveUp();
}
