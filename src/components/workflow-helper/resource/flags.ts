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

/** The meaning of a flag with a value; undefined where it has none. */
type ReadFlag = (value: string) => Partial<ResourceFlags> | undefined;

/** Flags with a value, which may stand behind `=` or as the next word. */
const WITH_VALUE: Readonly<Record<string, ReadFlag>> = {
  '--namespace': (namespace) => ({ namespace }),
  '--selector': (selector) => ({ selector }),
  '--field-manager': (fieldManager) => ({ fieldManager }),
  '--subresource': (subresource) => ({ subresource }),
  '--grace-period': (value) => {
    const gracePeriodSeconds = Number(value);
    if (!Number.isInteger(gracePeriodSeconds)) throw new HelperError(`--grace-period=${value} is no number`);
    return { gracePeriodSeconds };
  },
};

/** Flags that are on by their name, and may have a value behind `=`. */
const SWITCHES: Readonly<Record<string, ReadFlag>> = {
  '--all': (value) => ({ isAll: isOn('--all', value) }),
  '--validate': (value) => ({ fieldValidation: oneOf('--validate', value, VALIDATION) }),
  '--cascade': (value) => ({ propagationPolicy: oneOf('--cascade', value, CASCADE) }),
  '--force': (value) => ({ isForced: isOn('--force', value) }),
  '--wait': (value) => ({ waits: isOn('--wait', value) }),
  '--dry-run': (value) => {
    if (value !== 'server' && value !== 'none')
      throw new HelperError(`--dry-run=${value}: only server and none are supported`);
    return { isDryRun: value === 'server' };
  },
  // These are the behaviour anyway: apply is server-side and takes fields over; a missing object is no error for delete.
  '--server-side': (value) => void isOn('--server-side', value),
  '--force-conflicts': (value) => void isOn('--force-conflicts', value),
  '--ignore-not-found': (value) => void isOn('--ignore-not-found', value),
};

const SHORT: Readonly<Record<string, string>> = { '-n': '--namespace', '-l': '--selector' };

/** Reads the flags of a template. Pure. @throws HelperError for one that cannot be honoured, by name */
export function readFlags(words: readonly string[] = []): ResourceFlags {
  let flags: ResourceFlags = { names: [], isAll: false, isForced: false, isDryRun: false, waits: true };
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
    if (known !== undefined) flags = { ...flags, ...known(value ?? next(rest, name)) };
    else if (onOff !== undefined) flags = { ...flags, ...onOff(value ?? 'true') };
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
