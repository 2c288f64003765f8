/** What a run takes beside the chaos itself, and how much of that is the kubelet's start of pods. */
import { readFileSync } from 'node:fs';
import type { Pod } from '@turnsole/kube/kinds/core';
import { firstProcessOf } from '../../support/first-process.ts';
import { record } from './figures.ts';
import { isNodeHere } from './settings.ts';
import type { App, Shop } from './shop.ts';

const CHAOS_MS = 3_000;
/** Ticks of a second in /proc; 100 on every machine that Linux runs on as a server. */
const TICKS = 100;

/** Runs pod-delete once and records what it took. Pods are looked at where they run on this machine only. */
export async function measureRun(shop: Shop, app: App): Promise<void> {
  const run = await shop.run({ app });
  const starts = (await isNodeHere(shop.client))
    ? await Promise.all([startOf(await run.pod('runner')), startOf(await run.pod('experiment'))])
    : [];
  await run.until(({ status }) => status?.experiments?.[0]?.verdict === 'Pass');
  const overhead = Date.now() - run.createdAt - CHAOS_MS;
  const engine = await run.ended();
  record({ title: 'pod-delete: overhead, pod starts included', ms: overhead });
  record({
    title: 'pod-delete: verdict to engine completed (the kubelet tells that the runner ended)',
    ms: Date.now() - run.createdAt - CHAOS_MS - overhead,
  });
  const timeline = [...(engine.status?.timeline ?? []), ...((await run.result()).status?.timeline ?? [])];
  const at = (step: string): number => {
    const time = timeline.find((entry) => entry.step === step)?.time;
    if (time === undefined) throw new Error(`no ${step} in the timeline of ${run.name}`);
    return Date.parse(time);
  };
  if (starts.length === 0) return;
  const [runner = 0, experiment = 0] = starts;
  const kubelet = runner - at('RunnerCreated') + (experiment - at('ExperimentPodCreated'));
  record({ title: "pod-delete: of that, the kubelet's start of runner and experiment", ms: kubelet });
  record({ title: 'pod-delete: overhead without these', ms: overhead - kubelet, barMs: 3_000 });
}

/** When a pod's first process began, milliseconds since 1970. */
async function startOf(pod: Pod): Promise<number> {
  const stat = readFileSync(`/proc/${await firstProcessOf(pod)}/stat`, 'utf8');
  // The name in the second field may hold blanks; the start is field 22.
  const ticks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  const uptime = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
  return Date.now() - (uptime - ticks / TICKS) * 1000;
}
