import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Frame, NO_OFFERS } from './frames.ts';
import { deadlineOf, IDLE, type Link, type LinkEvent, step } from './step.ts';

const NOW = 1_000_000;
const MOMENT = { now: NOW, random: 0.5 };
const ACK: Frame = { type: 'ack', offers: NO_OFFERS };
const ACTION = {
  requestID: 'a',
  requestType: 'get',
  manifest: '',
  namespace: '',
  externalData: '',
  username: '',
};

const DIALLING: Link = { state: 'dialling', socket: 3, attempt: 2, offersProtocols: true, until: NOW + 100 };
const GREETING: Link = { ...DIALLING, state: 'greeting', dialect: 'present' };
const LIVE: Link = {
  state: 'live',
  socket: 3,
  attempt: 2,
  offersProtocols: true,
  since: NOW - 1_000,
  lastReceivedAt: NOW - 1_000,
  pingAt: NOW,
};
const WAITING: Link = {
  state: 'waiting',
  socket: 3,
  attempt: 2,
  offersProtocols: true,
  until: NOW,
  why: 'x',
};
const REFUSED: Link = { ...WAITING, state: 'refused' };
const CLOSED: Link = { state: 'closed', socket: 3, attempt: 2, offersProtocols: true };

const received = (frame?: Frame): LinkEvent => ({ type: 'received', socket: 3, ...(frame && { frame }) });
const errors = (...messages: string[]): LinkEvent => received({ type: 'errors', messages });

type Row = readonly [name: string, event: LinkEvent, state: Link['state'], effects: string, why?: RegExp];

const TABLE: readonly (readonly [Link, readonly Row[]])[] = [
  [
    IDLE,
    [
      ['starts', { type: 'start' }, 'dialling', 'dial 1'],
      ['ends', { type: 'stop' }, 'closed', ''],
      ['has no time to wait for', { type: 'time' }, 'idle', ''],
    ],
  ],
  [
    DIALLING,
    [
      ['is open', { type: 'opened', socket: 3, dialect: 'legacy' }, 'greeting', 'init 3'],
      ['an older socket is open', { type: 'opened', socket: 2, dialect: 'legacy' }, 'dialling', ''],
      ['fails', { type: 'failed', socket: 3, why: 'ECONNREFUSED' }, 'waiting', '', /ECONNREFUSED/],
      ['an older socket fails', { type: 'failed', socket: 2, why: 'x' }, 'dialling', ''],
      [
        'origin is refused',
        { type: 'failed', socket: 3, why: '', status: 403 },
        'refused',
        '',
        /ALLOWED_ORIGINS/,
      ],
      ['path is wrong', { type: 'failed', socket: 3, why: '', status: 404 }, 'refused', '', /\/query/],
      ['server is busy', { type: 'failed', socket: 3, why: '', status: 503 }, 'waiting', '', /503/],
      ['too early', { type: 'time' }, 'dialling', ''],
      ['a frame before the connection', received(ACK), 'dialling', ''],
      ['ends', { type: 'stop' }, 'closed', 'close 3'],
    ],
  ],
  [
    GREETING,
    [
      ['acknowledged', received(ACK), 'live', 'subscribe 3'],
      ['kept alive', received({ type: 'alive' }), 'greeting', ''],
      ['is asked', received({ type: 'ping' }), 'greeting', 'pong 3'],
      ['a message of tomorrow', received({ type: 'unreadable', why: 'unknown type' }), 'greeting', 'ignore'],
      [
        'version',
        errors('ERROR: infra VERSION MISMATCH (need 3.x.x got 2.0.0)'),
        'refused',
        'close 3',
        /VERSION/,
      ],
      ['key', errors('ERROR:  accessID MISMATCH'), 'refused', 'close 3', /accessID/],
      ['closed', { type: 'closed', socket: 3, code: 1006, reason: '' }, 'waiting', '', /1006/],
      ['ends', { type: 'stop' }, 'closed', 'close 3'],
    ],
  ],
  [
    LIVE,
    [
      ['action', received({ type: 'action', action: ACTION }), 'live', 'act'],
      ['acknowledged again', received(ACK), 'live', ''],
      ['word of nothing', received(), 'live', ''],
      ['completed', received({ type: 'complete' }), 'waiting', 'close 3', /ended the subscription/],
      ['displaced', errors('CLUSTER ALREADY CONNECTED'), 'waiting', 'close 3', /only one may run/],
      ['other errors', errors('database is down'), 'waiting', 'close 3', /database is down/],
      ['garbage', received({ type: 'unreadable', why: 'no JSON' }), 'live', 'ignore'],
      ['forbidden', { type: 'closed', socket: 3, code: 4403, reason: '' }, 'refused', '', /4403/],
      ['unknown code', { type: 'closed', socket: 3, code: 4999, reason: 'so' }, 'waiting', '', /4999: so/],
      ['an older socket closes', { type: 'closed', socket: 2, code: 1006, reason: '' }, 'live', ''],
      ['time to ping', { type: 'time' }, 'live', 'ping 3'],
      ['starts again', { type: 'start' }, 'live', ''],
      ['ends', { type: 'stop' }, 'closed', 'close 3'],
    ],
  ],
  [
    WAITING,
    [
      ['time', { type: 'time' }, 'dialling', 'dial 4'],
      ['late close', { type: 'closed', socket: 3, code: 1, reason: '' }, 'waiting', ''],
      ['ends', { type: 'stop' }, 'closed', ''],
    ],
  ],
  [
    REFUSED,
    [
      ['time', { type: 'time' }, 'dialling', 'dial 4'],
      ['ends', { type: 'stop' }, 'closed', ''],
    ],
  ],
  [
    CLOSED,
    [
      ['starts', { type: 'start' }, 'closed', ''],
      ['time', { type: 'time' }, 'closed', ''],
      ['ends', { type: 'stop' }, 'closed', ''],
    ],
  ],
];

for (const [link, rows] of TABLE) {
  describe(`a link that is ${link.state}`, () => {
    for (const [name, event, state, effects, why] of rows) {
      test(`${name}: ${state}${effects === '' ? '' : `, ${effects}`}`, () => {
        const next = step(link, event, MOMENT);
        assert.equal(next.link.state, state);
        assert.equal(next.effects.map(shown).join(', '), effects);
        if (why !== undefined) assert.match('why' in next.link ? next.link.why : '', why);
      });
    }
  });
}

function shown(effect: ReturnType<typeof step>['effects'][number]): string {
  return 'socket' in effect ? `${effect.type} ${effect.socket}` : effect.type;
}

test('pauses grow from try to try, and start anew only after a connection that lasted', () => {
  const drop = (link: Link, now: number): Link =>
    step(link, { type: 'closed', socket: link.socket, code: 1006, reason: '' }, { now, random: 0.5 }).link;
  const untilOf = (link: Link): number => ('until' in link ? link.until : Number.NaN);
  const pauses: number[] = [];
  let link: Link = step(IDLE, { type: 'start' }, { now: 0, random: 0 }).link;
  let now = 0;
  for (let round = 0; round < 9; round++) {
    link = step(link, { type: 'opened', socket: link.socket, dialect: 'legacy' }, { now, random: 0 }).link;
    link = step(link, { type: 'received', socket: link.socket, frame: ACK }, { now, random: 0 }).link;
    link = drop(link, now);
    pauses.push(untilOf(link) - now);
    now = untilOf(link);
    link = step(link, { type: 'time' }, { now, random: 0 }).link;
  }
  assert.deepEqual(pauses, [375, 750, 1_500, 3_000, 6_000, 12_000, 22_500, 22_500, 22_500]);
  link = step(link, { type: 'opened', socket: link.socket, dialect: 'legacy' }, { now, random: 0 }).link;
  link = step(link, { type: 'received', socket: link.socket, frame: ACK }, { now, random: 0 }).link;
  now += 60_000;
  link = drop(link, now);
  assert.equal(untilOf(link) - now, 375);
});

test('a server that is silent is left, and one that chooses no sub-protocol is asked without', () => {
  const silent = step({ ...LIVE, lastReceivedAt: NOW - 45_000 } as Link, { type: 'time' }, MOMENT);
  assert.equal(silent.link.state, 'waiting');
  assert.deepEqual(silent.effects.map(shown), ['close 3']);
  const event: LinkEvent = {
    type: 'failed',
    socket: 3,
    why: 'Server sent no subprotocol',
    hasNoProtocol: true,
  };
  const without = step(DIALLING, event, MOMENT).link;
  assert.equal(without.offersProtocols, false);
  const dialled = step(without, { type: 'time' }, { now: NOW + 60_000, random: 0 });
  assert.deepEqual(dialled.effects, [{ type: 'dial', socket: 4, offersProtocols: false }]);
});

const MOVES: readonly ((link: Link) => LinkEvent)[] = [
  () => ({ type: 'start' }),
  () => ({ type: 'time' }),
  ({ socket }) => ({ type: 'opened', socket, dialect: 'legacy' }),
  ({ socket }) => ({ type: 'failed', socket, why: 'w' }),
  ({ socket }) => ({ type: 'failed', socket, why: 'w', status: 403 }),
  ({ socket }) => ({ type: 'closed', socket, code: 1006, reason: '' }),
  ({ socket }) => ({ type: 'closed', socket, code: 4406, reason: '' }),
  ({ socket }) => ({ type: 'closed', socket: socket - 1, code: 1006, reason: '' }),
  ({ socket }) => ({ type: 'received', socket, frame: ACK }),
  ({ socket }) => ({ type: 'received', socket, frame: { type: 'complete' } }),
  ({ socket }) => ({ type: 'received', socket, frame: { type: 'errors', messages: ['accessID MISMATCH'] } }),
  ({ socket }) => ({ type: 'received', socket }),
  () => ({ type: 'stop' }),
];

test('whatever happens in whatever order, there is at most one socket, and a way on', () => {
  const seen = new Set<string>();
  const walk = (link: Link, open: ReadonlySet<number>, now: number, depth: number): void => {
    const known = `${link.state} ${link.offersProtocols} ${Math.min(link.attempt, 2)} ${[...open].length} ${depth}`;
    if (depth === 0 || seen.has(known)) return;
    seen.add(known);
    for (const move of MOVES) {
      const event = move(link);
      // A socket that was open does not fail to open.
      if (event.type === 'failed' && link.state !== 'dialling') continue;
      const at = event.type === 'time' ? Math.max(now, deadlineOf(link) ?? now) : now;
      const next = step(link, event, { now: at, random: 0.5 });
      const sockets = new Set(open);
      // These report that it is closed already.
      if (event.type === 'failed' || event.type === 'closed') sockets.delete(event.socket);
      for (const effect of next.effects) {
        if (effect.type === 'dial') sockets.add(effect.socket);
        else if (effect.type === 'close') sockets.delete(effect.socket);
        else if ('socket' in effect)
          assert.ok(sockets.has(effect.socket), `${effect.type} on a closed socket`);
      }
      assert.ok(sockets.size <= 1, `${[...sockets]} are open after ${event.type} in ${link.state}`);
      const isAtRest = next.link.state === 'idle' || next.link.state === 'closed';
      assert.ok(isAtRest || deadlineOf(next.link) !== undefined, `${next.link.state} waits for nothing`);
      walk(next.link, sockets, at, depth - 1);
    }
  };
  walk(IDLE, new Set(), 0, 8);
  const states = new Set([...seen].map((key) => key.split(' ')[0]));
  assert.deepEqual([...states].sort(), [
    'closed',
    'dialling',
    'greeting',
    'idle',
    'live',
    'refused',
    'waiting',
  ]);
});
