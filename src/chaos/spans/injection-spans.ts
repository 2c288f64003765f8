import type { LedgerEntry, TimelineEntry } from '../../api/index.ts';
import { spanIdOf } from '../../tracing/trace-context.ts';
import type { SpanRecord } from '../../tracing/trace-record.ts';
import { msOf } from './steps.ts';

/** Input of the spans of injections. */
interface InjectionInput {
  readonly entries: readonly LedgerEntry[];
  /** Lines of the experiment and its helpers. */
  readonly steps: readonly TimelineEntry[];
  /** End of the known time: a fault that is still in force lasts until then, at least. */
  readonly endMs: number;
  /** The span that an injection belongs to, and the program that did it, by the actor of its line. */
  readonly placeOf: (actor: string | undefined) => Pick<SpanRecord, 'parentId' | 'service'>;
}

/**
 * A span for each injection: from its line `Injected` to its line `Reverted`, or a moment where nothing has to be reverted. The ledger
 * says which ones exist; the times are those of the timeline, which records the same steps a few milliseconds apart. Pure.
 */
export function injectionSpans({ entries, steps, endMs, placeOf }: InjectionInput): SpanRecord[] {
  const left = new Set(steps);
  /** The line about it that is next in time; each line is about one injection. */
  const takeLine = (step: string, entry: LedgerEntry, time: string): TimelineEntry | undefined => {
    const object = [entry.target.kind, entry.target.namespace, entry.target.name]
      .filter((part) => part !== undefined)
      .join('/');
    const candidates = [...left].filter((line) => line.step === step && line.object === object);
    const distance = (line: TimelineEntry): number => Math.abs(msOf(line) - Date.parse(time));
    const nearest = candidates.sort((a, b) => distance(a) - distance(b))[0];
    if (nearest !== undefined) left.delete(nearest);
    return nearest;
  };
  return entries.flatMap((entry): SpanRecord[] => {
    const { id, fault, injectedAt, revertedAt, state, effect, target } = entry;
    if (injectedAt === undefined) return [];
    const begun = takeLine('Injected', entry, injectedAt);
    const ended = revertedAt === undefined ? undefined : takeLine('Reverted', entry, revertedAt);
    const startMs = begun === undefined ? Date.parse(injectedAt) : msOf(begun);
    const isMoment = entry.instant === true || state === 'done' || state === 'failed';
    const openMs = isMoment ? startMs : endMs;
    const revertedMs = revertedAt === undefined ? openMs : Date.parse(revertedAt);
    return [
      {
        id: spanIdOf(id),
        ...placeOf(begun?.actor),
        name: `inject ${fault}`,
        startMs,
        endMs: Math.max(startMs, ended === undefined ? revertedMs : msOf(ended)),
        attributes: {
          'turnsole.fault': fault,
          'turnsole.injection.id': id,
          'turnsole.injection.state': state,
          'turnsole.injection.effect': effect?.seen,
          'turnsole.target.kind': target.kind,
          'turnsole.target.name': target.name,
          'turnsole.target.container': target.container,
          'k8s.namespace.name': target.namespace,
        },
        events: [],
        ...(state === 'failed' ? { failure: entry.message ?? 'the injection failed' } : {}),
      },
    ];
  });
}
