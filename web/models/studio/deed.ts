import type { Step } from './draft.ts';
import type { FaultBook } from './known-fault.ts';

/** What a fault does to pods, as the begin of a sentence: "Delete … of the pods of …". */
const DEEDS: ReadonlyMap<string, string> = new Map([
  ['pod-delete', 'Delete'],
  ['container-kill', 'Kill a container in'],
  ['pod-cpu-hog', 'Load the processors of'],
  ['pod-cpu-hog-exec', 'Load the processors of'],
  ['pod-memory-hog', 'Fill the memory of'],
  ['pod-memory-hog-exec', 'Fill the memory of'],
  ['pod-io-stress', 'Load the disks of'],
  ['disk-fill', 'Fill the disk of'],
  ['pod-network-latency', 'Delay the network of'],
  ['pod-network-loss', 'Lose packets of'],
  ['pod-network-corruption', 'Corrupt packets of'],
  ['pod-network-duplication', 'Duplicate packets of'],
  ['pod-network-rate-limit', 'Limit the network of'],
  ['pod-network-partition', 'Cut off'],
  ['pod-dns-error', 'Fail the DNS requests of'],
  ['pod-dns-spoof', 'Falsify the DNS answers of'],
  ['pod-http-latency', 'Delay the HTTP answers of'],
  ['pod-http-status-code', 'Change the HTTP status of'],
  ['pod-http-modify-header', 'Change the HTTP headers of'],
  ['pod-http-modify-body', 'Change the HTTP bodies of'],
  ['pod-http-reset-peer', 'Reset the HTTP connections of'],
]);

/** How the sentence about a step goes. */
interface Deed {
  /** "Delete" */
  readonly begin: string;
  /** Whether it comes again and again, so that the time between two rounds belongs to it. */
  readonly isRepeated: boolean;
}

/**
 * The sentence about an experiment with one fault on pods of an application: what it does, and whether it comes again. Undefined for all
 * others, which have no such sentence. Pure.
 */
export function deedOf(steps: readonly Step[], book: FaultBook | undefined): Deed | undefined {
  const [step, other] = steps;
  if (step === undefined || other !== undefined || !step.fault.hasTarget) return undefined;
  const begin = DEEDS.get(step.fault.name);
  if (begin === undefined) return undefined;
  return { begin, isRepeated: book?.faults[step.fault.name]?.shape === 'pulse' };
}

/** What most experiments begin with. */
const FIRST = ['pod-delete', 'pod-network-latency', 'pod-cpu-hog'];

/** Those of the faults of a hub that most experiments begin with, in words: `Delete pods`. Pure. */
export function firstFaults(
  places: readonly string[],
): readonly { readonly place: string; readonly words: string }[] {
  return FIRST.flatMap((name) => {
    const place = places.find((one) => one.split('/')[1] === name);
    return place === undefined ? [] : [{ place, words: `${DEEDS.get(name)} pods` }];
  });
}
