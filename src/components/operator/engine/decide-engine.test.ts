import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChaosEngine, ChaosEngineStatus } from '../../../api/index.ts';
import { ENGINE_FINALIZER } from '../../../api/index.ts';
import { START_PATIENCE_MS } from '../../../chaos/pod-start.ts';
import type { EngineAction } from './actions.ts';
import { decideEngine, retryDelayMs } from './decide-engine.ts';
import type { Child, ObservedEngine } from './observed.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const at = (offsetMs: number): string => new Date(NOW + offsetMs).toISOString();

interface Case extends Partial<Omit<ObservedEngine, 'engine'>> {
  readonly state?: 'active' | 'stop' | '';
  readonly status?: ChaosEngineStatus;
  readonly finalizer?: boolean;
  readonly deleted?: boolean;
  readonly policy?: 'delete' | 'retain';
  readonly graceSeconds?: number;
  readonly monitoring?: boolean;
}

function observed(input: Case): ObservedEngine {
  const {
    state = 'active',
    status,
    finalizer = true,
    deleted = false,
    policy,
    graceSeconds,
    monitoring,
    ...rest
  } = input;
  const engine: ChaosEngine = {
    metadata: {
      name: 'nginx',
      namespace: 'shop',
      uid: 'u1',
      ...(finalizer ? { finalizers: [ENGINE_FINALIZER] } : {}),
      ...(deleted ? { deletionTimestamp: at(-1000) } : {}),
    },
    spec: {
      engineState: state,
      experiments: [{ name: 'pod-delete' }],
      ...(policy === undefined ? {} : { jobCleanUpPolicy: policy }),
      ...(monitoring === undefined ? {} : { monitoring }),
      ...(graceSeconds === undefined ? {} : { terminationGracePeriodSeconds: graceSeconds }),
    },
    ...(status === undefined ? {} : { status }),
  };
  return {
    nowMs: NOW,
    problems: [],
    runner: { kind: 'absent' },
    children: [],
    recoveries: 0,
    recoveriesHeldUntilMs: undefined,
    results: [],
    isFresh: true,
    engine,
    ...rest,
  };
}

const pod = (name: string, rest: Partial<Child> = {}): Child => ({
  kind: 'Pod',
  name,
  ended: false,
  isEnginePod: false,
  ...rest,
});
const job = (name: string, rest: Partial<Child> = {}): Child => ({ ...pod(name, rest), kind: 'Job' });
const RUNNER = pod('nginx-runner', { isEnginePod: true });

const initialized: ChaosEngineStatus = { engineStatus: 'initialized', runId: 'r1' };
const completed: ChaosEngineStatus = { engineStatus: 'completed', runId: 'r1' };
const stopped: ChaosEngineStatus = { engineStatus: 'stopped', runId: 'r1' };

function troubled(reason: string, message: string, sinceMs: number, attempts?: number): ChaosEngineStatus {
  return {
    ...initialized,
    ...(attempts === undefined ? {} : { runnerAttempts: attempts }),
    conditions: [{ type: 'Runnable', status: 'False', reason, message, lastTransitionTime: at(-sinceMs) }],
  };
}

/** An engine whose metrics are or could not be served since so many milliseconds. */
function monitored(
  of: ChaosEngineStatus,
  sinceMs = 60_000,
  status: 'True' | 'False' = 'True',
): ChaosEngineStatus {
  return { ...of, conditions: [{ type: 'Monitored', status, lastTransitionTime: at(-sinceMs) }] };
}
const MONITOR = pod('nginx-monitor', { isEnginePod: true });
const RUNS = { kind: 'running', restarts: 0 } as const;

const START: readonly EngineAction[] = [{ type: 'initialize' }, { type: 'createRunner', attempt: 1 }];
const DELETE_ALL: EngineAction = { type: 'deleteChildren', phase: 'chaos stop', gracePeriodSeconds: 30 };
const FINISH = { type: 'finishAbort', deleted: false, left: [] } as const;
const LISTEN: EngineAction = { type: 'awaitLastWords' };
const GOING = { goneByMs: NOW + 30_000 };
const GOING_RUNNER: Child = { ...RUNNER, ...GOING };
const WAIT_3: EngineAction = { type: 'wait', ms: 60_000, why: '3 objects to go' };
const allStarted: ChaosEngineStatus = { ...initialized, allStarted: 'r1' };

const TABLE: readonly (readonly [name: string, input: Case, expected: readonly EngineAction[]])[] = [
  // (active or empty, "")
  ['a new engine begins', { finalizer: false }, START],
  ['an empty engineState is active', { state: '', finalizer: false }, START],
  ['a new engine begins again after a crash between finalizer and status', { finalizer: true }, START],
  [
    'a bad spec is rejected, nothing is launched',
    { finalizer: false, problems: ['spec.appinfo.applabel: Required value'] },
    [{ type: 'reject', problems: ['spec.appinfo.applabel: Required value'] }],
  ],

  // (active, initialized)
  [
    'a lost finalizer is stored first',
    { status: initialized, finalizer: false, runner: { kind: 'running', restarts: 0 } },
    [{ type: 'addFinalizer' }],
  ],
  ['a pending runner is given time', { status: initialized, runner: { kind: 'pending' } }, []],
  ['a running runner is left alone', { status: initialized, runner: { kind: 'running', restarts: 1 } }, []],
  [
    'a runner whose account is not known any more gets a new pod, and so a new token',
    {
      status: initialized,
      runner: { kind: 'running', restarts: 0, lastExit: '401', refusal: 'unknown account', isDown: true },
    },
    [
      {
        type: 'reportProblem',
        reason: 'RunnerRefused',
        message:
          'the API server does not know the service account of the runner, shop/default, any more (401); making runner pod 2 of at most 3',
        attempts: 2,
      },
      { type: 'deleteRunner', force: true },
    ],
  ],
  [
    'the third runner that is not known was the last',
    {
      status: { ...initialized, runnerAttempts: 3 },
      runner: { kind: 'running', restarts: 0, lastExit: '401', refusal: 'unknown account', isDown: true },
    },
    [
      {
        type: 'giveUp',
        reason: 'RunnerRefused',
        message:
          'the API server does not know the service account of the runner, shop/default, any more (401); it was runner pod 3 of at most 3',
      },
    ],
  ],
  [
    'a runner without a permission is started again while its role may be replaced',
    {
      status: initialized,
      runner: { kind: 'running', restarts: 1, lastExit: '403', refusal: 'no permission', isDown: true },
    },
    [
      {
        type: 'reportProblem',
        reason: 'RunnerFailing',
        message: 'the runner failed (403); the kubelet starts it again',
      },
    ],
  ],
  [
    'and is given up when it lacks it still',
    {
      status: initialized,
      runner: { kind: 'running', restarts: 2, lastExit: '403', refusal: 'no permission', isDown: true },
    },
    [
      {
        type: 'giveUp',
        reason: 'RunnerRefused',
        message:
          'service account shop/default lacks a permission that the run needs (403); give it back, `turnsole plan` names all, and run the engine again',
      },
    ],
  ],
  [
    'a runner that was refused and runs again is left alone',
    {
      status: initialized,
      runner: { kind: 'running', restarts: 3, lastExit: '401', refusal: 'unknown account' },
    },
    [],
  ],
  [
    'a runner that failed is reported while it waits for its restart',
    {
      status: initialized,
      runner: { kind: 'running', restarts: 0, lastExit: 'Error with exit code 1', isDown: true },
    },
    [
      {
        type: 'reportProblem',
        reason: 'RunnerFailing',
        message: 'the runner failed (Error with exit code 1); the kubelet starts it again',
      },
    ],
  ],
  [
    'that is said once',
    {
      status: troubled(
        'RunnerFailing',
        'the runner failed (Error with exit code 1); the kubelet starts it again',
        1000,
      ),
      runner: { kind: 'running', restarts: 1, lastExit: 'Error with exit code 1', isDown: true },
    },
    [],
  ],
  [
    'a runner that runs again after a failure is well',
    {
      status: troubled('RunnerFailing', 'the runner failed', 1000),
      runner: { kind: 'running', restarts: 1, lastExit: 'Error with exit code 1' },
    },
    [{ type: 'clearProblem' }],
  ],
  [
    'a completed runner completes the engine',
    { status: initialized, runner: { kind: 'completed' } },
    [{ type: 'complete' }],
  ],
  [
    'a runner missing in the cache is looked for',
    { status: initialized, isFresh: false },
    [{ type: 'confirm', why: 'runner pod missing in the cache' }],
  ],
  [
    'a vanished runner is replaced',
    { status: initialized },
    [
      {
        type: 'reportProblem',
        reason: 'RunnerLost',
        message: 'the runner pod is gone; making runner pod 2 of at most 3',
        attempts: 2,
      },
      { type: 'createRunner', attempt: 2 },
    ],
  ],
  [
    'an evicted runner is replaced',
    { status: initialized, runner: { kind: 'failed', reason: 'Evicted: low on memory' } },
    [
      {
        type: 'reportProblem',
        reason: 'RunnerLost',
        message: 'the runner pod failed (Evicted: low on memory); making runner pod 2 of at most 3',
        attempts: 2,
      },
      { type: 'deleteRunner', force: true },
    ],
  ],
  [
    'after that its successor is made without being counted twice',
    { status: troubled('RunnerLost', 'evicted', 1000, 2) },
    [
      { type: 'createRunner', attempt: 2 },
      { type: 'wait', ms: 250, why: 'RunnerLost' },
    ],
  ],
  [
    'a running successor ends the trouble',
    { status: troubled('RunnerLost', 'evicted', 1000, 2), runner: { kind: 'running', restarts: 0 } },
    [{ type: 'clearProblem' }],
  ],
  [
    'the third lost runner ends the run',
    { status: { ...initialized, runnerAttempts: 3 }, runner: { kind: 'failed', reason: 'Evicted' } },
    [
      {
        type: 'giveUp',
        reason: 'RunnerLost',
        message: 'the runner pod failed (Evicted); it was runner pod 3 of at most 3',
      },
    ],
  ],
  [
    'a runner that keeps failing in place ends the run',
    { status: initialized, runner: { kind: 'running', restarts: 5, lastExit: 'Error with exit code 1' } },
    [
      {
        type: 'giveUp',
        reason: 'RunnerLost',
        message: 'the runner failed 5 times, at last Error with exit code 1',
      },
    ],
  ],
  [
    'an image that cannot be pulled is said at once',
    {
      status: initialized,
      runner: { kind: 'pending', problem: { reason: 'ImagePullFailed', message: 'no such image' } },
    },
    [
      { type: 'reportProblem', reason: 'ImagePullFailed', message: 'no such image' },
      { type: 'wait', ms: 60_000, why: 'ImagePullFailed' },
    ],
  ],
  [
    '…and is not said twice',
    {
      status: troubled('ImagePullFailed', 'no such image', 20_000),
      runner: { kind: 'pending', problem: { reason: 'ImagePullFailed', message: 'no such image' } },
    },
    [{ type: 'wait', ms: 40_000, why: 'ImagePullFailed' }],
  ],
  [
    '…and ends the run when it lasts',
    {
      status: troubled('ImagePullFailed', 'no such image', 60_000),
      runner: { kind: 'pending', problem: { reason: 'ImagePullFailed', message: 'no such image' } },
    },
    [{ type: 'giveUp', reason: 'ImagePullFailed', message: 'no such image (for 60 s)' }],
  ],
  [
    'what never heals ends the run at once',
    {
      status: initialized,
      runner: { kind: 'pending', problem: { reason: 'ImageNameInvalid', message: 'bad name' } },
    },
    [{ type: 'giveUp', reason: 'ImageNameInvalid', message: 'bad name' }],
  ],
  [
    'a refused runner is tried again soon',
    { status: troubled('ServiceAccountNotFound', 'no account', 400) },
    [
      { type: 'createRunner', attempt: 1 },
      { type: 'wait', ms: 100, why: 'ServiceAccountNotFound' },
    ],
  ],
  [
    'a service account that does not appear ends the run',
    { status: troubled('ServiceAccountNotFound', 'no account', START_PATIENCE_MS.ServiceAccountNotFound) },
    [{ type: 'giveUp', reason: 'ServiceAccountNotFound', message: 'no account (for 5 s)' }],
  ],
  [
    'a foreign pod under the runner name is confirmed',
    { status: initialized, runner: { kind: 'foreign' }, isFresh: false },
    [{ type: 'confirm', why: 'foreign runner pod' }],
  ],
  [
    '…and said, and looked at again',
    { status: initialized, runner: { kind: 'foreign' } },
    [
      {
        type: 'reportProblem',
        reason: 'NameTaken',
        message:
          'cannot make runner pod nginx-runner: a pod of that name exists that this engine does not own; delete it',
      },
      { type: 'wait', ms: 50, why: 'NameTaken' },
    ],
  ],
  [
    'a runner pod of another run may be an older state of the cache',
    { status: initialized, runner: { kind: 'leftover' }, isFresh: false },
    [{ type: 'confirm', why: 'runner pod of another run' }],
  ],
  [
    'a runner pod that an earlier run left is deleted',
    { status: initialized, runner: { kind: 'leftover' } },
    [{ type: 'deleteRunner', force: false }],
  ],
  [
    'a runner under deletion is waited for',
    { status: initialized, runner: { kind: 'terminating' }, children: [{ ...RUNNER, goneByMs: NOW + 5000 }] },
    [{ type: 'wait', ms: 35_000, why: '1 object to go' }],
  ],
  [
    'a runner on a node that does not answer is deleted by force',
    {
      status: initialized,
      runner: { kind: 'terminating' },
      children: [{ ...RUNNER, goneByMs: NOW - 30_000 }],
    },
    [
      { type: 'forceDelete', phase: 'chaos running', pods: ['nginx-runner'], unresponsive: true },
      { type: 'wait', ms: 30_000, why: '1 object to go' },
    ],
  ],

  [
    'giving up that a crash cut short is finished, even if the cause has gone',
    {
      status: {
        ...initialized,
        conditions: [
          { type: 'Runnable', status: 'False', reason: 'ImagePullFailed', message: 'no image' },
          { type: 'GivenUp', status: 'True', reason: 'ImagePullFailed', message: 'no image' },
        ],
      },
      runner: { kind: 'running', restarts: 0 },
    },
    [{ type: 'giveUp', reason: 'ImagePullFailed', message: 'no image' }],
  ],

  // (stop, "")
  ['an engine made with stop does nothing', { state: 'stop', finalizer: false }, []],
  ['…even with a bad spec', { state: 'stop', finalizer: false, problems: ['x'] }, []],

  // (stop, initialized)
  [
    'stop deletes Jobs and pods',
    {
      state: 'stop',
      status: initialized,
      children: [RUNNER, job('pod-delete-abc123'), pod('pod-delete-abc123-x')],
    },
    [LISTEN, DELETE_ALL, { type: 'wait', ms: 30_000, why: '3 objects to go' }],
  ],
  [
    "the grace period is the engine's",
    { state: 'stop', status: initialized, graceSeconds: 7, children: [RUNNER] },
    [LISTEN, { ...DELETE_ALL, gracePeriodSeconds: 7 }, { type: 'wait', ms: 30_000, why: '1 object to go' }],
  ],
  [
    'ended pods go without grace',
    { state: 'stop', status: initialized, children: [pod('old', { ended: true }), RUNNER] },
    [
      LISTEN,
      { type: 'forceDelete', phase: 'chaos stop', pods: ['old'], unresponsive: false },
      DELETE_ALL,
      { type: 'wait', ms: 30_000, why: '2 objects to go' },
    ],
  ],
  [
    'stop waits for terminating pods',
    {
      state: 'stop',
      status: initialized,
      children: [pod('p', { goneByMs: NOW + 30_000 }), pod('q', { goneByMs: NOW + 10_000 })],
    },
    [LISTEN, { type: 'wait', ms: 40_000, why: '2 objects to go' }],
  ],
  [
    'a kubelet that does not let go of an ended pod is not waited for',
    {
      state: 'stop',
      status: initialized,
      children: [pod('p', { ended: true, goneByMs: NOW - 30_000 }), pod('q', { goneByMs: NOW })],
    },
    [
      LISTEN,
      { type: 'forceDelete', phase: 'chaos stop', pods: ['p'], unresponsive: false },
      { type: 'wait', ms: 30_000, why: '2 objects to go' },
    ],
  ],
  [
    'what has ended and is held all the same is waited for, within a bound',
    {
      state: 'stop',
      status: initialized,
      children: [pod('p', { ended: true, isForced: true, goneByMs: NOW })],
    },
    [
      { ...FINISH, ending: 0 },
      { type: 'wait', ms: 60_000, why: '1 object to go' },
    ],
  ],
  [
    'what appears meanwhile is deleted too',
    { state: 'stop', status: initialized, children: [pod('p', { goneByMs: NOW + 30_000 }), job('late')] },
    [LISTEN, DELETE_ALL, { type: 'wait', ms: 60_000, why: '2 objects to go' }],
  ],
  [
    'pods of a dead node are deleted by force',
    {
      state: 'stop',
      status: initialized,
      children: [pod('p', { goneByMs: NOW - 30_000, node: 'n1' }), pod('q', { goneByMs: NOW })],
    },
    [
      LISTEN,
      { type: 'forceDelete', phase: 'chaos stop', pods: ['p'], unresponsive: true },
      { type: 'wait', ms: 30_000, why: '2 objects to go' },
    ],
  ],
  [
    '…once: what is still there then is held by a finalizer',
    {
      state: 'stop',
      status: initialized,
      children: [pod('p', { goneByMs: NOW - 40_000, isForced: true, node: 'n1' })],
    },
    [LISTEN, { type: 'wait', ms: 20_000, why: '1 object to go' }],
  ],
  [
    'an experiment that has said its last word is not waited for: the engine is stopped, and its finalizer stays',
    {
      state: 'stop',
      status: allStarted,
      children: [GOING_RUNNER, pod('p', { ...GOING, hasLetGo: true }), pod('old', { ended: true, ...GOING })],
    },
    [
      { ...FINISH, ending: 2 },
      { type: 'forceDelete', phase: 'chaos stop', pods: ['old'], unresponsive: false },
      WAIT_3,
    ],
  ],
  [
    '…nor is its monitor, which goes',
    {
      state: 'stop',
      status: monitored(allStarted),
      children: [GOING_RUNNER, pod('p', { ...GOING, hasLetGo: true }), pod('nginx-monitor', GOING)],
    },
    [{ type: 'removeMonitor' }, { ...FINISH, ending: 3 }, WAIT_3],
  ],
  [
    '…but only on a fresh read',
    {
      state: 'stop',
      status: allStarted,
      children: [GOING_RUNNER, pod('p', GOING)],
      hasReceivedLastWord: true,
      isFresh: false,
    },
    [{ type: 'confirm', why: 'nothing may be in force any more' }],
  ],
  [
    '…and not while another pod may have something in force',
    {
      state: 'stop',
      status: allStarted,
      children: [GOING_RUNNER, pod('p', { ...GOING, hasLetGo: true }), pod('q', GOING)],
    },
    [LISTEN, WAIT_3],
  ],
  [
    '…nor while a runner is at work that may start another experiment',
    {
      state: 'stop',
      status: { ...allStarted, allStarted: 'r0' },
      children: [
        GOING_RUNNER,
        pod('p', { ...GOING, hasLetGo: true }),
        pod('q', { ...GOING, hasLetGo: true }),
      ],
    },
    [LISTEN, WAIT_3],
  ],
  [
    '…nor while a Job may make a pod',
    {
      state: 'stop',
      status: allStarted,
      children: [GOING_RUNNER, pod('p', { ...GOING, hasLetGo: true }), job('j', { goneByMs: NOW })],
    },
    [LISTEN, { type: 'wait', ms: 60_000, why: '3 objects to go' }],
  ],
  [
    '…nor while a recovery is under way',
    {
      state: 'stop',
      status: allStarted,
      recoveries: 1,
      children: [
        GOING_RUNNER,
        pod('p', { ...GOING, hasLetGo: true }),
        pod('q', { ...GOING, hasLetGo: true }),
      ],
    },
    [LISTEN, WAIT_3],
  ],
  [
    '…nor before everything is being stopped',
    {
      state: 'stop',
      status: allStarted,
      children: [GOING_RUNNER, pod('p', { hasLetGo: true }), pod('q', { ...GOING, hasLetGo: true })],
    },
    [LISTEN, DELETE_ALL, WAIT_3],
  ],
  [
    '…nor when the engine is deleted, which waits for its pods',
    {
      deleted: true,
      state: 'stop',
      status: allStarted,
      children: [
        GOING_RUNNER,
        pod('p', { ...GOING, hasLetGo: true }),
        pod('q', { ...GOING, hasLetGo: true }),
      ],
    },
    [WAIT_3],
  ],
  [
    'when all pods have ended the cache is confirmed',
    {
      state: 'stop',
      status: initialized,
      children: [pod('p', { ended: true, isForced: true, goneByMs: NOW })],
      isFresh: false,
    },
    [{ type: 'confirm', why: 'nothing may be in force any more' }],
  ],
  [
    'an abort ends even if a pod never goes',
    {
      state: 'stop',
      status: initialized,
      children: [pod('p', { goneByMs: NOW - 60_000, node: 'n1' }), job('j', { goneByMs: NOW - 30_000 })],
    },
    [{ type: 'finishAbort', deleted: false, left: ['Pod p on node n1', 'Job j'] }],
  ],
  [
    'an empty cache is confirmed',
    { state: 'stop', status: initialized, isFresh: false },
    [{ type: 'confirm', why: 'nothing left in the cache' }],
  ],
  ['when all is gone the abort ends', { state: 'stop', status: initialized }, [FINISH]],
  [
    'a stop that comes too late completes',
    {
      state: 'stop',
      status: initialized,
      runner: { kind: 'completed' },
      children: [{ ...RUNNER, ended: true }],
    },
    [{ type: 'complete' }],
  ],
  [
    'a run that was given up is aborted even if its runner ended',
    {
      state: 'stop',
      status: { ...initialized, conditions: [{ type: 'GivenUp', status: 'True', message: 'x' }] },
      runner: { kind: 'completed' },
      children: [],
    },
    [FINISH],
  ],

  // (stop, completed)
  [
    'a recovery that is done is removed by the operator after its runner',
    { state: 'stop', status: completed, recoveries: 2 },
    [{ type: 'removeRecoveries' }],
  ],
  [
    'a recovery of a completed engine that is not done belongs to another program, and stays',
    { state: 'stop', status: completed, recoveries: 2, recoveriesHeldUntilMs: Number.POSITIVE_INFINITY },
    [],
  ],
  [
    '…also when it has failed, for as long as that program goes on trying',
    { state: 'stop', status: completed, recoveries: 2, recoveriesHeldUntilMs: NOW + 40_000 },
    [{ type: 'wait', ms: 40_000, why: 'a recovery that failed' }],
  ],
  [
    '…and not after that',
    { state: 'stop', status: completed, recoveries: 2, recoveriesHeldUntilMs: NOW },
    [{ type: 'removeRecoveries' }],
  ],
  [
    'a completed engine retains its pods',
    { state: 'stop', status: completed, children: [{ ...RUNNER, ended: true }] },
    [],
  ],
  [
    'a run that completes lists what its clean-up deletes',
    {
      status: initialized,
      policy: 'delete',
      runner: { kind: 'completed' },
      children: [{ ...RUNNER, ended: true }, pod('kept')],
    },
    [{ type: 'complete', deletes: ['nginx-runner'] }],
  ],
  [
    '…unless its policy is delete',
    {
      state: 'stop',
      status: completed,
      policy: 'delete',
      children: [{ ...RUNNER, ended: true }, pod('kept')],
    },
    [{ type: 'deleteEnginePods', pods: ['nginx-runner'] }],
  ],
  [
    '…which is done once',
    { state: 'stop', status: completed, policy: 'delete', children: [{ ...RUNNER, goneByMs: NOW }] },
    [],
  ],

  // (stop, stopped)
  ['a stopped engine is left alone', { state: 'stop', status: stopped, finalizer: false }, []],
  [
    'a finalizer that a crash left is removed',
    { state: 'stop', status: stopped },
    [{ type: 'removeFinalizer' }],
  ],
  [
    'what a late controller made is removed',
    { state: 'stop', status: stopped, finalizer: false, children: [pod('late')] },
    [DELETE_ALL, { type: 'wait', ms: 30_000, why: '1 object to go' }],
  ],

  // (active, stopped) and (active, completed)
  [
    'active after stopped restarts',
    { status: stopped, finalizer: false },
    [
      { type: 'initialize', restartAfter: 'stopped' },
      { type: 'createRunner', attempt: 1 },
    ],
  ],
  [
    'active after completed restarts',
    { status: completed },
    [
      { type: 'initialize', restartAfter: 'completed' },
      { type: 'createRunner', attempt: 1 },
    ],
  ],
  [
    'a restart removes what is left first',
    {
      status: completed,
      children: [
        { ...RUNNER, ended: true },
        job('pod-delete-abc123'),
        pod('pod-delete-abc123-x', { ended: true }),
      ],
    },
    [
      {
        type: 'forceDelete',
        phase: 'chaos restart',
        pods: ['nginx-runner', 'pod-delete-abc123-x'],
        unresponsive: false,
      },
      { type: 'deleteChildren', phase: 'chaos restart', gracePeriodSeconds: 30 },
      { type: 'wait', ms: 30_000, why: '3 objects to go' },
    ],
  ],
  [
    'a restart is decided on fresh data',
    { status: completed, isFresh: false },
    [{ type: 'confirm', why: 'nothing left in the cache' }],
  ],
  [
    'a restart with a bad spec is rejected',
    { status: stopped, problems: ['x'] },
    [{ type: 'reject', problems: ['x'] }],
  ],

  // being deleted
  [
    'a deleted engine is aborted',
    { deleted: true, status: initialized, children: [RUNNER] },
    [DELETE_ALL, { type: 'wait', ms: 30_000, why: '1 object to go' }],
  ],
  [
    'a deleted completed engine loses its retained pods',
    { deleted: true, state: 'stop', status: completed, children: [{ ...RUNNER, ended: true }] },
    [
      { type: 'forceDelete', phase: 'chaos stop', pods: ['nginx-runner'], unresponsive: false },
      { type: 'wait', ms: 30_000, why: '1 object to go' },
    ],
  ],
  [
    'when all is gone the deleted engine may go',
    { deleted: true, status: initialized },
    [{ ...FINISH, deleted: true }],
  ],
  ['a deleted engine that never began may go', { deleted: true }, [{ ...FINISH, deleted: true }]],
  [
    'a deleted engine without our finalizer is none of our business',
    { deleted: true, finalizer: false, status: stopped, children: [RUNNER] },
    [],
  ],
];

const MONITORING: typeof TABLE = [
  [
    'a new engine with monitoring begins with its monitor',
    { finalizer: false, monitoring: true },
    [{ type: 'initialize' }, { type: 'createMonitor' }, { type: 'createRunner', attempt: 1 }],
  ],
  [
    'a monitor that is there is left alone',
    { status: monitored(initialized), runner: RUNS, monitoring: true, children: [MONITOR] },
    [],
  ],
  [
    'monitoring that is switched on, or a monitor that is gone, gets one',
    { status: initialized, runner: RUNS, monitoring: true },
    [{ type: 'createMonitor' }],
  ],
  [
    'one that was made a moment ago is not missed yet',
    { status: monitored(initialized, 1000), runner: RUNS, monitoring: true },
    [{ type: 'wait', ms: 4000, why: 'monitor pod' }],
  ],
  [
    'one that is gone is made again',
    { status: monitored(initialized), runner: RUNS, monitoring: true },
    [{ type: 'createMonitor' }],
  ],
  [
    'one that was evicted is deleted, to be made again',
    {
      status: monitored(initialized),
      runner: RUNS,
      monitoring: true,
      children: [{ ...MONITOR, ended: true }],
    },
    [{ type: 'forceDelete', phase: 'chaos running', pods: ['nginx-monitor'], unresponsive: false }],
  ],
  [
    'one that is being deleted is waited for',
    {
      status: monitored(initialized),
      runner: RUNS,
      monitoring: true,
      children: [{ ...MONITOR, ended: true, goneByMs: NOW }],
    },
    [],
  ],
  [
    'one that was refused is tried again after a while',
    { status: monitored(initialized, 4000, 'False'), runner: RUNS, monitoring: true },
    [{ type: 'wait', ms: 6000, why: 'monitor pod' }],
  ],
  [
    'monitoring that is switched off loses it',
    { status: monitored(initialized), runner: RUNS, children: [MONITOR] },
    [{ type: 'removeMonitor' }],
  ],
  [
    'a completed run has no use for a new one',
    { status: initialized, runner: { kind: 'completed' }, monitoring: true },
    [{ type: 'complete' }],
  ],
  [
    'a completed engine keeps it',
    { state: 'stop', status: monitored(completed), monitoring: true, children: [RUNNER, MONITOR] },
    [],
  ],
  [
    'the policy delete removes it',
    { state: 'stop', status: monitored(completed), policy: 'delete', monitoring: true, children: [MONITOR] },
    [{ type: 'removeMonitor' }, { type: 'deleteEnginePods', pods: ['nginx-monitor'] }],
  ],
  [
    'an abort ends with its service',
    { state: 'stop', status: monitored(initialized), monitoring: true },
    [{ type: 'removeMonitor' }, FINISH],
  ],
  [
    'a restart without monitoring removes the service of the run before',
    { status: monitored(completed) },
    [
      { type: 'removeMonitor' },
      { type: 'initialize', restartAfter: 'completed' },
      { type: 'createRunner', attempt: 1 },
    ],
  ],
];

for (const [name, input, expected] of [...TABLE, ...MONITORING]) {
  test(`engine: ${name}`, () => {
    assert.deepEqual(decideEngine(observed(input)), expected);
  });
}

test('engine: an engineStatus of a newer operator is left alone', () => {
  const input = observed({ status: { engineStatus: 'initialized' } });
  const newer = JSON.parse(JSON.stringify(input).replaceAll('"initialized"', '"paused"'));
  assert.deepEqual(decideEngine(newer), []);
});

test('engine: retries come at intervals proportional to the time already waited', () => {
  assert.deepEqual([0, 400, 8000, 100_000].map(retryDelayMs), [50, 100, 2000, 5000]);
});
