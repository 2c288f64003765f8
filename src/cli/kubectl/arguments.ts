/** The command line of `turnsole kubectl`: as much of kubectl's as the steps of workflows use. Pure. */

import { parseDuration } from '@turnsole/kube/text/duration';
import { UsageError } from '../../process/usage-error.ts';

const VERBS = ['apply', 'create', 'delete', 'get'] as const;
type Verb = (typeof VERBS)[number];

/** The action, and its object. */
export interface KubectlCommand {
  readonly verb: Verb;
  /** Files and folders of manifests; `-` is standard input. */
  readonly files: readonly string[];
  /** Objects named on the command line. */
  readonly objects: readonly NamedObject[];
  /** With a selector or `all`: the kinds of which objects are meant. */
  readonly kinds: readonly string[];
  readonly namespace?: string;
  readonly selector?: string;
  readonly ignoreNotFound: boolean;
  /** Whether a deletion is over only when the object is gone. */
  readonly wait: boolean;
  readonly timeoutMs: number;
  readonly kubeconfig?: string;
}

/** A word for a kind, such as `po`, `pods` or `chaosengine`, and a name. */
interface NamedObject {
  readonly kind: string;
  readonly name: string;
}

/** What kubectl takes for no limit. */
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

/** Flags with a value, by each of their spellings. */
const VALUE_FLAGS: Readonly<Record<string, string>> = {
  '-f': 'filename',
  '--filename': 'filename',
  '-n': 'namespace',
  '--namespace': 'namespace',
  '-l': 'selector',
  '--selector': 'selector',
  '--timeout': 'timeout',
  '--kubeconfig': 'kubeconfig',
  '-o': 'output',
  '--output': 'output',
};

/** Flags that are on by their name; a value follows `=` only. */
const SWITCHES: Readonly<Record<string, string>> = {
  '--ignore-not-found': 'ignore-not-found',
  '--wait': 'wait',
  '--all': 'all',
  '--now': 'now',
};

/** @throws UsageError for what only the real kubectl can do, by name */
export function parseKubectl(argv: readonly string[]): KubectlCommand {
  const { words, values, switches } = split(argv);
  const [verb, ...subjects] = words;
  if (!isVerb(verb)) {
    throw new UsageError(
      `unknown command ${JSON.stringify(verb ?? '')}; this kubectl knows ${VERBS.join(', ')}. ` +
        'Install kubectl on this machine for the others',
    );
  }
  const last = (name: string): string | undefined => values.get(name)?.at(-1);
  const namespace = last('namespace');
  const selector = last('selector');
  const kubeconfig = last('kubeconfig');
  const files = values.get('filename') ?? [];
  const byKind =
    selector !== undefined ||
    switches.get('all') === true ||
    (verb === 'get' && subjects.length === 1 && !subjects[0]?.includes('/'));
  const takesNames = verb === 'delete' || verb === 'get';
  if (files.length === 0 && (!takesNames || subjects.length === 0)) {
    throw new UsageError(`kubectl ${verb}: must specify one of -f${takesNames ? ' and a resource' : ''}`);
  }
  if ((last('output') ?? 'name') !== 'name' || (verb === 'get') !== values.has('output')) {
    throw new UsageError('this kubectl gets with -o name alone; install kubectl on this machine');
  }
  if (files.length > 0 && subjects.length > 0) {
    throw new UsageError(`kubectl ${verb}: -f and names exclude each other; found ${subjects.join(' ')}`);
  }
  const timeout = last('timeout');
  const timeoutMs = timeout === undefined ? 0 : parseDuration(timeout);
  return {
    verb,
    files,
    objects: byKind ? [] : namedObjects(subjects),
    kinds: byKind ? (subjects[0]?.split(',') ?? []) : [],
    ...(namespace !== undefined && { namespace }),
    ...(selector !== undefined && { selector }),
    ...(kubeconfig !== undefined && { kubeconfig }),
    ignoreNotFound: switches.get('ignore-not-found') === true,
    wait: switches.get('wait') !== false,
    timeoutMs: timeoutMs === 0 ? WEEK_MS : timeoutMs,
  };
}

interface Parts {
  readonly words: readonly string[];
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly switches: ReadonlyMap<string, boolean>;
}

function split(argv: readonly string[]): Parts {
  const [words, values, switches] = [[] as string[], new Map<string, string[]>(), new Map<string, boolean>()];
  const rest = [...argv];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith('-') || word === '-') {
      words.push(word);
      continue;
    }
    const [flag, inline] = splitFlag(word);
    if (Object.hasOwn(SWITCHES, flag)) {
      switches.set(SWITCHES[flag] ?? flag, readSwitch(flag, inline));
      continue;
    }
    const name = Object.hasOwn(VALUE_FLAGS, flag) ? VALUE_FLAGS[flag] : undefined;
    if (name === undefined) {
      throw new UsageError(`this kubectl has no flag ${flag}; install kubectl on this machine`);
    }
    const value = inline ?? rest.shift();
    if (value === undefined) throw new UsageError(`flag needs an argument: ${flag}`);
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  return { words, values, switches };
}

/** `--flag=value`, `-n=value` and `-nvalue`. */
function splitFlag(word: string): readonly [flag: string, value: string | undefined] {
  const equals = word.indexOf('=');
  if (equals !== -1) return [word.slice(0, equals), word.slice(equals + 1)];
  const isGlued = !word.startsWith('--') && word.length > 2;
  return isGlued ? [word.slice(0, 2), word.slice(2)] : [word, undefined];
}

function readSwitch(flag: string, text = 'true'): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new UsageError(`invalid argument ${JSON.stringify(text)} for ${flag}: expected true or false`);
}

/** `TYPE NAME…` and `TYPE/NAME…`. */
function namedObjects(subjects: readonly string[]): NamedObject[] {
  if (subjects.some((subject) => subject.includes('/'))) {
    return subjects.map((subject) => {
      const [kind = '', name = ''] = subject.split('/');
      if (kind === '' || name === '') {
        throw new UsageError(`${JSON.stringify(subject)} is no TYPE/NAME; either all are, or none is`);
      }
      return { kind, name };
    });
  }
  const [kinds = '', ...names] = subjects;
  if (subjects.length > 0 && names.length === 0) {
    throw new UsageError('resource(s) were provided, but no name was specified; give names, -l or --all');
  }
  return kinds.split(',').flatMap((kind) => names.map((name) => ({ kind, name })));
}

function isVerb(word: string | undefined): word is Verb {
  return VERBS.some((verb) => verb === word);
}
