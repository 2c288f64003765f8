import { HelperError } from '../failure.ts';

/** What the flags of a `resource` template ask for: those of kubectl that mean something without kubectl. */
export interface ResourceFlags {
  /** `pod web`, `pod/web`: an object that is named in place of a manifest. */
  readonly kind?: string;
  readonly names: readonly string[];
  readonly namespace?: string;
  readonly selector?: string;
  readonly isAll: boolean;
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
  readonly fieldManager?: string;
  readonly subresource?: string;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  /** Replace by deleting and creating. */
  readonly isForced: boolean;
  readonly isDryRun: boolean;
  /** Whether a deletion is over only when the object is gone. */
  readonly waits: boolean;
}

type Draft = { -readonly [K in keyof ResourceFlags]: ResourceFlags[K] };

const VALIDATION: Readonly<Record<string, ResourceFlags['fieldValidation']>> = {
  true: 'Strict',
  strict: 'Strict',
  warn: 'Warn',
  false: 'Ignore',
  ignore: 'Ignore',
};

const CASCADE: Readonly<Record<string, ResourceFlags['propagationPolicy']>> = {
  true: 'Background',
  background: 'Background',
  foreground: 'Foreground',
  false: 'Orphan',
  orphan: 'Orphan',
};

type Reader = (flags: Draft, value: string) => void;

/** Flags with a value, which may stand behind `=` or as the next word. */
const WITH_VALUE: Readonly<Record<string, Reader>> = {
  '--namespace': (flags, value) => {
    flags.namespace = value;
  },
  '--selector': (flags, value) => {
    flags.selector = value;
  },
  '--field-manager': (flags, value) => {
    flags.fieldManager = value;
  },
  '--subresource': (flags, value) => {
    flags.subresource = value;
  },
  '--grace-period': (flags, value) => {
    flags.gracePeriodSeconds = Number(value);
    if (!Number.isInteger(flags.gracePeriodSeconds))
      throw new HelperError(`--grace-period=${value} is no number`);
  },
};

/** Flags that are on by their name, and may have a value behind `=`. */
const SWITCHES: Readonly<Record<string, Reader>> = {
  '--all': (flags, value) => {
    flags.isAll = isOn('--all', value);
  },
  '--validate': (flags, value) => {
    flags.fieldValidation = oneOf('--validate', value, VALIDATION);
  },
  '--cascade': (flags, value) => {
    flags.propagationPolicy = oneOf('--cascade', value, CASCADE);
  },
  '--force': (flags, value) => {
    flags.isForced = isOn('--force', value);
  },
  '--wait': (flags, value) => {
    flags.waits = isOn('--wait', value);
  },
  '--dry-run': (flags, value) => {
    if (value !== 'server' && value !== 'none')
      throw new HelperError(`--dry-run=${value}: only server and none are supported`);
    flags.isDryRun = value === 'server';
  },
  // These are the behaviour anyway: apply is server-side and takes fields over; a missing object is no error for delete.
  '--server-side': (_flags, value) => void isOn('--server-side', value),
  '--force-conflicts': (_flags, value) => void isOn('--force-conflicts', value),
  '--ignore-not-found': (_flags, value) => void isOn('--ignore-not-found', value),
};

const SHORT: Readonly<Record<string, string>> = { '-n': '--namespace', '-l': '--selector' };

/** Reads the flags of a template. Pure. @throws HelperError for one that cannot be honoured, by name */
export function readFlags(words: readonly string[] = []): ResourceFlags {
  const flags: Draft = { names: [], isAll: false, isForced: false, isDryRun: false, waits: true };
  const subjects: string[] = [];
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith('-')) {
      subjects.push(word);
      continue;
    }
    const [spelled = '', ...inline] = word.split('=');
    const name = SHORT[spelled] ?? spelled;
    const value = inline.length > 0 ? inline.join('=') : undefined;
    const known = Object.hasOwn(WITH_VALUE, name) ? WITH_VALUE[name] : undefined;
    const onOff = Object.hasOwn(SWITCHES, name) ? SWITCHES[name] : undefined;
    if (known !== undefined) known(flags, value ?? next(rest, name));
    else if (onOff !== undefined) onOff(flags, value ?? 'true');
    else
      throw new HelperError(
        `resource.flags: ${name} is not supported; supported are ${[...Object.keys(WITH_VALUE), ...Object.keys(SWITCHES)].join(', ')}`,
      );
  }
  return { ...flags, ...named(subjects) };
}

function next(rest: string[], name: string): string {
  const value = rest.shift();
  if (value === undefined) throw new HelperError(`resource.flags: ${name} needs a value`);
  return value;
}

function isOn(name: string, value: string): boolean {
  if (value === 'true' || value === 'false') return value === 'true';
  throw new HelperError(`resource.flags: ${name}=${value} has to be true or false`);
}

function oneOf<T>(name: string, value: string, known: Readonly<Record<string, T>>): T | undefined {
  if (Object.hasOwn(known, value)) return known[value];
  throw new HelperError(`resource.flags: ${name}=${value} has to be one of ${Object.keys(known).join(', ')}`);
}

/** `TYPE NAME…` or `TYPE/NAME`. */
function named(subjects: readonly string[]): Pick<ResourceFlags, 'kind' | 'names'> {
  const [first, ...names] = subjects;
  if (first === undefined) return { names: [] };
  const [kind = '', name] = first.split('/');
  return name === undefined ? { kind, names } : { kind, names: [name, ...names] };
}
