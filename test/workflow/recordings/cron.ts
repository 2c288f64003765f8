import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { metaTime } from '@turnsole/kube/text/time';
import {
  type CronClock,
  type CronDecision,
  decideCron,
  withSubmitted,
} from '@turnsole/workflows/cron/decide-cron';
import { validateCronWorkflow } from '@turnsole/workflows/cron/validate-cron';
import { FUNCTIONS } from '@turnsole/workflows/engine/substitution/functions';
import type { CronWorkflow, CronWorkflowStatus } from '@turnsole/workflows/kinds/cron-workflow';
import { decodeCronWorkflow } from '@turnsole/workflows/kinds/decode/workflow';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { TemplateLibrary } from '@turnsole/workflows/validation/library';
import { readDocuments } from './manifests.ts';

/** A status as a watch showed it: how many workflows were active, and so on. */
interface RecordedStatus {
  readonly ms: number;
  readonly active: number;
  readonly succeeded: number | null;
  readonly failed: number | null;
  readonly phase: string | null;
  readonly lastScheduledTime: boolean;
  readonly conditions: readonly { readonly type: string; readonly message: string }[];
}

interface RecordedChild {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
  readonly ownerReferences: readonly object[];
  readonly createdAtMs: number;
  readonly phases: readonly string[];
  readonly deletedAtMs: number | null;
}

/** What Argo's own controller made of a CronWorkflow while it was watched. Milliseconds count from its creation. */
export interface CronRecording {
  readonly cronWorkflow: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly finalStatus: Readonly<Record<string, unknown>>;
  readonly activeAtEnd: number;
  readonly observedSeconds: number;
  readonly statusChanges: readonly RecordedStatus[];
  readonly children: readonly RecordedChild[];
}

const UID = 'u-cron';

/** A Saturday, for one example has a schedule for working days. */
const NOON = Date.parse('2026-01-03T12:00:00Z');

/** The CronWorkflow of a recording: by its manifest, or by name where that says no more than a folder. */
export function cronWorkflowOf(base: string, manifest: string, name: string): CronWorkflow {
  const [folder = '', file = ''] = manifest.split('/');
  const files = file.endsWith('.yaml')
    ? [file]
    : readdirSync(join(base, folder)).filter((entry) => entry.endsWith('.yaml'));
  for (const entry of files) {
    const documents = readDocuments(readFileSync(join(base, folder, entry), 'utf8'));
    const found = documents.find(
      ({ kind, metadata }) => kind === 'CronWorkflow' && nameOf(metadata) === name,
    );
    if (found === undefined) continue;
    const metadata = { ...found.metadata, name, namespace: 'argo', uid: UID };
    return decodeCronWorkflow({ ...found, metadata });
  }
  throw new Error(`${manifest} has no CronWorkflow ${name}`);
}

function nameOf({ name, generateName }: { readonly name?: string; readonly generateName?: string }): string {
  return name ?? generateName?.replace(/-$/, '') ?? '';
}

/** Where what `decideCron` does first differs from the recording; undefined where it is equal. */
export function differenceOfCron(
  recording: CronRecording,
  cron: CronWorkflow,
  library: TemplateLibrary,
): string | undefined {
  const player = new CronPlayer(recording, cron, library);
  player.play();
  return (
    firstUnequal('status', player.statuses, recording.statusChanges.slice(1).map(shown)) ??
    firstUnequal('workflow', player.created.map(asRecorded), recording.children.map(comparable)) ??
    unequal('deleted', player.deleted, 0) ??
    unequal('labels', player.cron.metadata.labels ?? {}, recording.labels ?? {}) ??
    unequal('annotations', player.cron.metadata.annotations ?? {}, recording.annotations)
  );
}

/** Plays the time of a recording; the workflows end as the recorded ones did, after the same time. */
class CronPlayer {
  cron: CronWorkflow;
  readonly statuses: ReturnType<typeof shown>[] = [];
  readonly created: Workflow[] = [];
  deleted = 0;
  readonly #recording: CronRecording;
  readonly #problem: string | undefined;
  /** What becomes of a workflow, by its name: when it ends, and when it goes. */
  readonly #endsAt = new Map<string, number>();
  readonly #goesAt = new Map<string, number>();
  #children: readonly Workflow[] = [];
  #clock: CronClock | undefined;
  #now: number;

  constructor(recording: CronRecording, cron: CronWorkflow, library: TemplateLibrary) {
    this.#recording = recording;
    this.cron = cron;
    this.#problem = validateCronWorkflow(cron, library)[0]?.text;
    this.#now = startOf(recording, cron);
  }

  play(): void {
    const until = this.#now + this.#recording.observedSeconds * 1000;
    for (;;) {
      const { wakeAt } = this.#pass();
      const next = Math.min(wakeAt ?? until + 1, ...this.#endsAt.values(), ...this.#goesAt.values());
      if (next > until) return;
      this.#now = next;
      for (const [name, time] of this.#endsAt) if (time <= next) this.#end(name);
      for (const [name, time] of this.#goesAt) if (time <= next) this.#go(name);
    }
  }

  #pass(): CronDecision {
    const decision = this.#decide(undefined);
    const judged = decision.due === undefined ? decision : this.#decide(this.#problem);
    let { status } = judged;
    for (const action of judged.actions) {
      if (action.kind === 'submit') status = withSubmitted(status, this.#submit(action.workflow));
      if (action.kind === 'delete') this.deleted++;
    }
    this.#clock = judged.clock;
    this.#store(judged, status);
    return judged;
  }

  #decide(specProblem: string | undefined): CronDecision {
    const options = { now: () => this.#now, random: () => 0, functions: FUNCTIONS };
    const facts = { cron: this.cron, children: this.#children, clock: this.#clock, specProblem, options };
    return decideCron(facts, this.#now);
  }

  #submit(workflow: Workflow): Workflow {
    const recorded = this.#recording.children[this.created.length];
    const life = recorded && lifeOf(this.#recording, this.created.length);
    const metadata = { ...workflow.metadata, uid: `u-${this.created.length}` };
    const stored: Workflow = { ...workflow, metadata, status: { phase: 'Running' } };
    this.created.push(workflow);
    this.#children = [...this.#children, stored];
    if (life?.endsMs !== undefined) this.#endsAt.set(metadata.name, this.#now + life.endsMs);
    if (life?.goesMs !== undefined) this.#goesAt.set(metadata.name, this.#now + life.goesMs);
    return stored;
  }

  #end(name: string): void {
    this.#endsAt.delete(name);
    const index = this.created.findIndex(({ metadata }) => metadata.name === name);
    const phase = (this.#recording.children[index]?.phases.at(-1) ?? 'Succeeded') as 'Succeeded';
    const status = { phase, finishedAt: metaTime(this.#now) };
    this.#children = this.#children.map((child) =>
      child.metadata.name === name ? { ...child, status } : child,
    );
  }

  /** Time to live, of the recording's controller, deletes what has ended. */
  #go(name: string): void {
    this.#goesAt.delete(name);
    this.#children = this.#children.filter(({ metadata }) => metadata.name !== name);
  }

  #store({ labels, annotations }: CronDecision, status: CronWorkflowStatus): void {
    const { metadata, status: before = {} } = this.cron;
    this.cron = {
      ...this.cron,
      metadata: {
        ...metadata,
        ...(Object.keys(labels).length > 0 && { labels: { ...metadata.labels, ...labels } }),
        annotations: { ...metadata.annotations, ...annotations },
      },
      status: Object.keys(status).length === 0 ? this.cron.status : status,
    };
    const [was, is] = [fromStatus(before), fromStatus(status)];
    if (!isDeepStrictEqual(was, is)) this.statuses.push(is);
  }
}

/** Such that the first workflow of a schedule with minutes is made on a minute that it names; `@every` counts from the creation. */
function startOf({ children: [first] }: CronRecording, { spec }: CronWorkflow): number {
  return spec.schedules.some((text) => text.startsWith('@every'))
    ? NOON
    : NOON - (first?.createdAtMs ?? 1_000);
}

/** How long after its creation a recorded workflow was counted as ended, and was gone. */
function lifeOf({ children, statusChanges }: CronRecording, index: number) {
  const ended = (status: RecordedStatus): number => (status.succeeded ?? 0) + (status.failed ?? 0);
  const counted = statusChanges.find((status) => ended(status) > index);
  const { createdAtMs = 0, deletedAtMs } = children[index] ?? {};
  return {
    endsMs: counted && counted.ms - createdAtMs,
    goesMs: deletedAtMs === null || deletedAtMs === undefined ? undefined : deletedAtMs - createdAtMs,
  };
}

function fromStatus(status: CronWorkflowStatus): ReturnType<typeof shown> {
  const { active = [], succeeded = null, failed = null, phase = null, lastScheduledTime } = status;
  const conditions = (status.conditions ?? []).map(({ type, message = '' }) => ({ type, message }));
  return {
    active: active.length,
    succeeded,
    failed,
    phase,
    lastScheduledTime: lastScheduledTime !== undefined,
    conditions,
  };
}

/** A status without its time. */
function shown({
  active,
  succeeded,
  failed,
  phase,
  lastScheduledTime,
  conditions,
}: Omit<RecordedStatus, 'ms'>) {
  return { active, succeeded, failed, phase, lastScheduledTime, conditions };
}

function comparable({ name, labels, annotations, finalizers, ownerReferences }: RecordedChild) {
  return { name, labels, annotations, finalizers, ownerReferences };
}

/** A workflow with its times and uids replaced as the recorder did. */
function asRecorded({ metadata }: Workflow): ReturnType<typeof comparable> {
  const { name = '', labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = metadata;
  return {
    name: name.replace(/-\d+$/, '-<scheduled unix time>'),
    labels,
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [
        key,
        key.endsWith('/scheduled-time') ? '<time>' : value,
      ]),
    ),
    finalizers,
    ownerReferences: ownerReferences.map(({ uid: _uid, ...rest }) => rest),
  };
}

function firstUnequal(
  what: string,
  actual: readonly unknown[],
  expected: readonly unknown[],
): string | undefined {
  for (let index = 0; index < Math.max(actual.length, expected.length); index++) {
    const difference = unequal(`${what} ${index}`, actual[index], expected[index]);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function unequal(what: string, actual: unknown, expected: unknown): string | undefined {
  const [have, want] = [actual, expected].map((value) => JSON.parse(JSON.stringify(value ?? null)));
  if (isDeepStrictEqual(have, want)) return undefined;
  return `${what} is ${JSON.stringify(have)}, recorded ${JSON.stringify(want)}`;
}
