import { isNotFound, unless } from '@turnsole/kube/client/errors';
import type { Pod } from '@turnsole/kube/kinds/core';
import { lastingStatuses } from '@turnsole/kube/kinds/lasting-containers';
import { PODS } from '@turnsole/kube/kinds/resources';
import type { InjectionEffect } from '../../../api/index.ts';
import { describeError } from '../../../experiment/injection/errors.ts';
import { type FaultContext, type Injection, parametersOf } from '../../../experiment/injection/fault.ts';
import { objectOf } from '../../../experiment/injection/ledger/ledger-steps.ts';
import {
  isSameProcess,
  type LocatedProcess,
  locateContainer,
} from '../../../experiment/node/container-locator.ts';
import { awaitContainer } from '../../container-target.ts';
import { FillFile, fillName } from './fill-file.ts';
import type { FillGoal } from './fill-size.ts';
import { removeFromDeadLayers } from './layers.ts';

/** Parameters of an injection of disk-fill. */
export interface FillParameters extends FillGoal, Record<string, unknown> {
  readonly containerId: string;
  readonly seconds: number;
}

/** The end of a process that is no child gives no signal; looking costs a read of one file in /proc. */
const LOOK_MS = 500;
/** Longest pause between tries to fill a container again: each that fails leaves a line in the timeline. */
const MAX_PAUSE_MS = 5_000;

interface Kept {
  readonly stop: AbortController;
  file: FillFile;
  /** Most that was added at a time. */
  mostBytes: number;
  done: Promise<void>;
}

const kept = new Map<string, Kept>();

/** Fills, and fills again when the container restarts while time is left. Idempotent. */
export async function keepFull(injection: Injection, context: FaultContext): Promise<void> {
  if (kept.has(injection.id)) return;
  const { containerId, seconds } = parametersOf<FillParameters>(injection);
  const process_ = await locateContainer(containerId);
  const file = await fill(injection, process_, context);
  const own: Kept = {
    stop: new AbortController(),
    file,
    mostBytes: file.bytes,
    done: Promise.resolve(),
  };
  kept.set(injection.id, own);
  own.done = keepUp(own, injection, process_, context, context.clock.monotonic() + seconds * 1000);
}

/**
 * Gives the space back: of the file that this process holds, and of those in the container as it runs now and in its earlier
 * incarnations. A pod that was evicted meanwhile is deleted, as nothing else would.
 */
export async function emptyAgain(injection: Injection, context: FaultContext): Promise<void> {
  const own = kept.get(injection.id);
  if (own !== undefined) {
    own.stop.abort();
    await own.done;
    await own.file.remove();
    kept.delete(injection.id);
  }
  const name = fillName(injection.id);
  const { target } = injection;
  const pod = await context.client.find<Pod>(PODS, target.name, {
    namespace: target.namespace,
    signal: context.signal,
  });
  if (own === undefined) {
    const ids = [
      parametersOf<FillParameters>(injection).containerId,
      ...lastingStatuses(pod ?? {}).map(({ containerID = '' }) => containerID),
    ];
    const found = await Promise.all(
      [...new Set(ids)].map((id) => locateContainer(id).catch(() => undefined)),
    );
    await removeFromDeadLayers(name, [...found.flatMap((one) => one?.pid ?? []), 'self']);
  }
  if (pod?.status?.reason !== 'Evicted' || pod.metadata.uid !== target.uid) return;
  const { namespace = '' } = target;
  await unless(isNotFound, context.client.delete(PODS, target.name, { namespace }));
}

/** The effect: what this process has added; undefined when it has added nothing. */
export async function fillEffect({ id }: Injection): Promise<InjectionEffect | undefined> {
  const own = kept.get(id);
  if (own === undefined) return undefined;
  return own.mostBytes > 0
    ? { seen: true, message: `filled with ${Math.ceil(own.mostBytes / 1024 ** 2)} MiB` }
    : {
        seen: false,
        message:
          'the container uses more than that already; raise FILL_PERCENTAGE or EPHEMERAL_STORAGE_MEBIBYTES',
      };
}

function fill(injection: Injection, process_: LocatedProcess, context: FaultContext): Promise<FillFile> {
  return FillFile.make(
    process_,
    fillName(injection.id),
    parametersOf<FillParameters>(injection),
    context.signal,
  ).then((file) => {
    const message =
      file.bytes === 0
        ? 'the container uses more than that already; nothing was added'
        : `filled with ${Math.ceil(file.bytes / 1024 ** 2)} MiB`;
    context.note('DiskFilled', objectOf(injection.target), message);
    return file;
  });
}

/** Never rejects. */
async function keepUp(
  own: Kept,
  injection: Injection,
  first: LocatedProcess,
  context: FaultContext,
  endsAt: number,
): Promise<void> {
  const { clock } = context;
  const { target } = injection;
  const signal = AbortSignal.any([own.stop.signal, context.signal]);
  let process_ = first;
  let pauseMs = LOOK_MS;
  while (!signal.aborted && clock.monotonic() < endsAt) {
    try {
      await clock.sleep(pauseMs, signal);
      if (await isSameProcess(process_)) continue;
      context.force?.lapsed(injection.id, 'ContainerRestarted');
      const id = await awaitContainer(target, { ...context, signal }, endsAt - clock.monotonic());
      if (id === undefined) return;
      const next = await locateContainer(id);
      await own.file.remove();
      own.file = await fill(injection, next, { ...context, signal });
      // Only now: a container that could not be filled is tried again.
      process_ = next;
      context.force?.began(injection.id);
      pauseMs = LOOK_MS;
      own.mostBytes = Math.max(own.mostBytes, own.file.bytes);
    } catch (error) {
      if (signal.aborted) return;
      pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2);
      context.note('ReinjectFailed', objectOf(target), describeError(error));
    }
  }
}
