import { isObject, parseJson, textOf } from '@turnsole/kube/text/json';

/** Why an experiment came to no verdict, in words for people who know neither its codes nor its manifest. */
interface ErrorWords {
  /** What became of it, as the predicate after its name; empty where nothing says it. */
  readonly did: string;
  /** What it met, without a full stop; empty where `did` says all. */
  readonly said: string;
}

/** By the code of a result's error. Those of probes, in whose words their probe is named, are below. */
const DID: Readonly<Record<string, string>> = {
  TARGET_SELECTION_ERROR: 'found no target that it may hit',
  STATUS_CHECKS_ERROR: 'found the application not healthy',
  CHAOS_RESULT_CRUD_ERROR: 'could not store its result',
  CHAOS_INJECT_ERROR: 'could not inject its fault',
  CHAOS_REVERT_ERROR: 'could not revert what it injected',
  HELPER_ERROR: "could not do its work on a target's node",
  HELPER_POD_FAILED_ERROR: "lost its helper on a target's node",
  CONTAINER_RUNTIME_ERROR: 'found no process of its target',
  EXPERIMENT_ABORTED: 'was aborted',
  NOT_STEADY: 'did not begin',
  NO_EFFECT: 'had no effect on its targets',
  EFFECT_UNKNOWN: 'may have had no effect on its targets',
  EFFECT_TOO_SMALL: 'had too little effect on its targets',
  MACHINE_BUSY: 'ran on a machine that was too busy to judge by',
  LOW_COVERAGE: 'was in force for too little of its time',
  PROBE_TIMEOUT: 'ran out of time',
  TIMEOUT: 'ran out of time',
  // What went wrong is all that can be said of these.
  GENERIC_ERROR: '',
  NON_USER_FRIENDLY_ERROR: '',
};

/** When it was, for the one error that means something else before the fault than after it. */
const WHEN: Readonly<Record<string, string>> = {
  PreChaos: ' before the fault',
  PostChaos: ' after the fault',
};

/** What engines say of an experiment in place of a reason, in the words of LitmusChaos. */
const OF_STATUSES: Readonly<Record<string, string>> = {
  'Forcefully Aborted': '',
  Completed: '',
  Running: '',
  Skipped: '',
  'Waiting for Job Creation': 'its pod was not made',
  'ChaosExperiment Not Found': 'its ChaosExperiment does not exist',
};

/** How steps and results say who ended an experiment, which the sentence around them says as well. */
const ENDED: readonly (readonly [said: RegExp, plain: string])[] = [
  [/^aborted: /, ''],
  [/\bengineState is stop\b/, 'its engine was told to stop'],
  [/^workflow shutdown with strategy: \S+$/, 'the run was stopped before it began'],
  [/^workflow shutdown with strategy: {2}\S+$/, 'it was ended, as the run was stopped'],
  [/^Stopped with strategy '\w+'$/, ''],
  [/^ChaosEngine \S+ is stopped$/, 'its engine was told to stop'],
  [/\breceived SIG(?:TERM|INT)\b/, 'its pod was told to end'],
];

/** How results say that a probe was not judged, in the words of LitmusChaos. */
const NOT_EVALUATED = 'Either probe is not executed or not evaluated';

/** What a code says of its experiment; empty where it says nothing by itself, or is not known. Pure. */
export function didWords(code: string): string {
  return Object.hasOwn(DID, code) ? (DID[code] ?? '') : '';
}

/**
 * A reason as results, engines and agents have it: `CODE: text`, `CODE : {"errorCode":…,"reason":…}`, JSON alone, a text, or a status. Pure.
 *
 * @param code that of the error, where it is known beside the text
 */
export function errorWords(text: string, code = ''): ErrorWords {
  const [inText, rest] = codeAndText(text);
  const parsed = parseJson(rest);
  const errors = (Array.isArray(parsed) ? parsed : [parsed]).filter(isObject);
  const codes = [code, inText, ...errors.map(({ errorCode }) => textOf(errorCode))];
  const known = codes.find((one) => one !== '') ?? '';
  const phases = new Set(errors.map(({ phase }) => textOf(phase)));
  const [phase = ''] = phases.size === 1 ? phases : [];
  const when = known === 'STATUS_CHECKS_ERROR' ? (WHEN[phase] ?? '') : '';
  const did = didWords(known);
  const said =
    errors.length === 0 ? rest : [...new Set(errors.map(saidBy))].filter((one) => one !== '').join('; ');
  return { did: did === '' ? unknownWords(known) : `${did}${when}`, said: withoutStop(plainWords(said)) };
}

/** The code before a text; upstream has a space before its colon. */
function codeAndText(text: string): readonly [code: string, rest: string] {
  const [, code = '', space, rest = ''] = /^([A-Z]\w+)( ?): (.*)$/s.exec(text) ?? [];
  const isCode = space === ' ' || Object.hasOwn(DID, code) || /^[A-Z0-9_]+_(?:ERROR|FAILURE)$/.test(code);
  return isCode ? [code, rest] : ['', text];
}

/** Reasons of the operator are words of Kubernetes, such as `ImagePullFailed`. */
function unknownWords(code: string): string {
  return /^[A-Z][a-z]/.test(code) ? 'could not start' : '';
}

/** The same as one text: `found the application not healthy: 1 of 3 pods is not ready`. Pure. */
export function errorText(text: string, code?: string): string {
  const { did, said } = errorWords(text, code);
  return [did, said].filter((part) => part !== '').join(': ');
}

/** An error as JSON, all of whose fields are texts. */
const ERROR_IN_MESSAGE = /\{"errorCode":"(?:[^"\\]|\\.)*"(?:,"\w+":"(?:[^"\\]|\\.)*")*\}/;

/**
 * A message of a step in which an error stands as JSON, with its words in that place; a verdict has the reason behind its error once more. Pure.
 */
export function messageWords(message: string): string {
  const found = ERROR_IN_MESSAGE.exec(message);
  if (found === null) return message;
  const words = errorText(found[0]);
  const rest = message.slice(found.index + found[0].length);
  const again = rest.replace(/^; /, '');
  return `${message.slice(0, found.index)}${words}${again !== '' && words.includes(withoutStop(again)) ? '' : rest}`;
}

function saidBy({ reason, target }: Readonly<Record<string, unknown>>): string {
  const [said, of] = [textOf(reason), targetWords(textOf(target))];
  return of === '' || said.includes(of) ? said : `${said} (${of})`;
}

/** `pod web-1 in default, container app` of `{podName: web-1, namespace: default, container: app}`; other texts as they are. Pure. */
function targetWords(target: string): string {
  const fields = new Map(
    target
      .replace(/^\{(.*)\}$/s, '$1')
      .split(', ')
      .map((field) => {
        const at = field.indexOf(': ');
        return [field.slice(0, Math.max(0, at)), field.slice(at + 2)] as const;
      }),
  );
  const [kind, name] = [...fields].find(([field]) => /^[a-z]+Name$/i.test(field)) ?? [];
  if (kind === undefined) {
    const probe = fields.get('name');
    return probe !== undefined && fields.size === 1 ? probe : entryWords(target);
  }
  const namespace = fields.get('namespace');
  const container = fields.get('container');
  return `${kind.replace(/Name$/i, '').toLowerCase()} ${name}${namespace === undefined ? '' : ` in ${namespace}`}${container === undefined ? '' : `, container ${container}`}`;
}

/** `deployments with app=web in default` of `deployment:default:[app=web]`, which is how experiments are told of their targets. */
function entryWords(target: string): string {
  const [, kind, namespace, which] = /^\{?(\w+):([\w.-]*):\[(.*)\]\}?$/.exec(target) ?? [];
  if (kind === undefined || which === undefined) return target.replace(/^\{(.*)\}$/s, '$1');
  const of = which === '' ? 'any' : which.includes('=') ? `${kind}s with ${which}` : `${kind} ${which}`;
  return namespace === '' ? of : `${of} in ${namespace}`;
}

/** A text in which no words of LitmusChaos are left that only its users know. Pure. */
export function plainWords(text: string): string {
  const status = Object.hasOwn(OF_STATUSES, text) ? OF_STATUSES[text] : undefined;
  const ended = ENDED.reduce((words, [said, plain]) => words.replace(said, plain), status ?? text);
  return ended.replaceAll(NOT_EVALUATED, 'it was not asked, or not judged');
}

/** A text without the full stops and blanks at its end, for the middle of a sentence. Pure. */
export function withoutStop(text: string): string {
  return text.replace(/[.\s]+$/, '');
}
