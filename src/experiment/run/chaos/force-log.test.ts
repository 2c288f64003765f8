import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ForceEnd, InjectionTarget, LedgerEntry } from '../../../api/index.ts';
import type { ForceWindow } from '../../../api/ledger.ts';
import { ForceLog } from './force-log.ts';

const TARGET: InjectionTarget = { kind: 'pod', namespace: 'shop', name: 'web', uid: 'u1', container: 'app' };
const at = (ms: number): string => new Date(ms).toISOString();

function entry(...windows: readonly (readonly [from: number, to?: number, ended?: ForceEnd])[]): LedgerEntry {
  const inForce = windows.map(
    ([from, to, ended]): ForceWindow => ({
      from: at(from),
      ...(to !== undefined && { to: at(to) }),
      ...(ended !== undefined && { ended }),
    }),
  );
  return { id: 'run.r0.web', fault: 'f', target: TARGET, parameters: {}, state: 'reverted', inForce };
}

type Losses = readonly (readonly [why: ForceEnd, atMs: number, target?: Partial<InjectionTarget>])[];

const CASES: readonly (readonly [
  what: string,
  written: LedgerEntry,
  losses: Losses,
  complete: LedgerEntry,
])[] = [
  ['nothing lost', entry([10, 90, 'Reverted']), [], entry([10, 90, 'Reverted'])],
  [
    'a pod that went before it was reverted',
    entry([10, 90, 'Reverted']),
    [['PodGone', 40]],
    entry([10, 40, 'PodGone']),
  ],
  ['a helper that was lost', entry([10]), [['HelperLost', 40]], entry([10, 40, 'HelperLost'])],
  [
    'a helper that was lost, as another one that reverts has written',
    entry([10, 70, 'HelperLost']),
    [['HelperLost', 40]],
    entry([10, 40, 'HelperLost']),
  ],
  [
    'a helper that was missed, and has reverted by itself',
    entry([10, 90, 'Reverted']),
    [['HelperLost', 40]],
    entry([10, 90, 'Reverted']),
  ],
  [
    'a pod that went while its helper was missed, which has reverted by itself',
    entry([10, 90, 'Reverted']),
    [
      ['HelperLost', 40],
      ['PodGone', 60],
    ],
    entry([10, 60, 'PodGone']),
  ],
  [
    'a helper that was lost after its pod went',
    entry([10]),
    [
      ['HelperLost', 60],
      ['PodGone', 40],
    ],
    entry([10, 40, 'PodGone']),
  ],
  [
    'a helper that was lost twice',
    entry([10]),
    [
      ['HelperLost', 60],
      ['HelperLost', 40],
      ['HelperLost', 50],
    ],
    entry([10, 40, 'HelperLost']),
  ],
  ['another pod', entry([10, 90, 'Reverted']), [['PodGone', 40, { uid: 'u2' }]], entry([10, 90, 'Reverted'])],
  [
    'all containers of the pod',
    entry([10]),
    [['PodGone', 40, { container: undefined }]],
    entry([10, 40, 'PodGone']),
  ],
];

for (const [what, written, losses, complete] of CASES) {
  test(`windows with ${what}`, () => {
    const log = new ForceLog({ now: () => 100 });
    for (const [why, atMs, target] of losses) log.lost({ ...TARGET, ...target }, why, atMs);
    assert.deepEqual(log.complete([written]), [complete]);
  });
}
