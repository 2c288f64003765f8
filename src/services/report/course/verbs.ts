/** What faults do to their targets, as the participle of a sentence; the first that fits. */
const DONE: readonly (readonly [fault: RegExp, done: string])[] = [
  [/pod-delete/, 'deleted'],
  [/container-kill/, 'killed'],
  [/autoscaler/, 'scaled'],
  [/drain/, 'drained'],
  [/taint/, 'tainted'],
  [/restart/, 'restarted'],
  [/kubelet/, 'left without a kubelet'],
  [/runtime|docker-service/, 'left without a container runtime'],
  [/network-latency/, 'slowed down on the network'],
  [/network-loss/, 'made to lose packets'],
  [/network-corruption/, 'made to corrupt packets'],
  [/network-duplication/, 'made to duplicate packets'],
  [/network-rate/, 'limited on the network'],
  [/network-partition/, 'cut off from the network'],
  [/http-latency/, 'made to answer late'],
  [/http-/, 'made to answer wrongly'],
  [/dns-/, 'given wrong DNS answers or none'],
  [/cpu/, 'loaded on the CPU'],
  [/memory/, 'loaded in memory'],
  [/io-stress|disk/, 'loaded on the disk'],
];

/** `deleted` of pod-delete; of an unknown fault `hit by its-name`. Pure. */
export function doneBy(fault: string): string {
  return DONE.find(([pattern]) => pattern.test(fault))?.[1] ?? `hit by ${fault}`;
}

/** Whether what a fault hits goes, and something else takes its place. Pure. */
export function isReplaced(fault: string): boolean {
  return /pod-delete|container-kill|drain/.test(fault);
}

const WORDS = [
  'no',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];

/** `three pods`, `31 pods`, `one pod`. Pure. */
export function counted(count: number, noun: string): string {
  return `${WORDS[count] ?? String(count)} ${noun}${count === 1 ? '' : 's'}`;
}
