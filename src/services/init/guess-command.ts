import { parseImage } from '@turnsole/kube/text/image-reference';

/** What of a project says how its images are started; paths are relative to its folder. */
export interface ProjectFiles {
  /** Text of a file; undefined where there is none. */
  read(path: string): string | undefined;
  /** Whether this machine has a program. */
  hasProgram(name: string): boolean;
}

/** A command that an image may stand for, and what says so. */
interface GuessedCommand {
  readonly command: string;
  readonly source: string;
}

/** Images of programs that machines have under their own names. */
const PROGRAMS: Readonly<Record<string, string>> = {
  redis: 'redis-server',
  valkey: 'valkey-server',
  memcached: 'memcached -u nobody',
  nginx: 'nginx -g daemon off;',
  python: 'python3',
  golang: 'go',
};

/**
 * Guesses the command that an image stands for: from the Dockerfile of its folder, from package.json, from the usual names of main files.
 * Undefined where nothing says it. Pure but for what it is given.
 */
export function guessCommand(image: string, files: ProjectFiles): GuessedCommand | undefined {
  const name = parseImage(image)?.path.split('/').at(-1) ?? '';
  const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  // Words with blanks in them cannot be written as a text that is split at blanks.
  if (program !== undefined && !program.includes(';')) {
    const [first = ''] = program.split(' ');
    return files.hasProgram(first) ? { command: program, source: `${first} of this machine` } : undefined;
  }
  for (const folder of foldersOf(name)) {
    const found = inFolder(folder, files);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Where the sources of an image may be: a folder of its name, else the project itself. */
function foldersOf(name: string): readonly string[] {
  const own = ['', 'services/', 'apps/', 'packages/', 'src/', 'cmd/'].map((parent) => `${parent}${name}/`);
  return name === '' ? [''] : [...own, ''];
}

function inFolder(folder: string, files: ProjectFiles): GuessedCommand | undefined {
  const words = ofDockerfile(files.read(`${folder}Dockerfile`));
  if (words !== undefined) {
    const command = located(words, folder, files);
    if (command !== undefined) return { command, source: `${folder}Dockerfile` };
  }
  const script = ofPackage(files.read(`${folder}package.json`));
  if (script !== undefined) {
    const command = located(script, folder, files);
    if (command !== undefined) return { command, source: `${folder}package.json` };
  }
  for (const [file, ...start] of MAIN_FILES) {
    if (files.read(`${folder}${file}`) === undefined) continue;
    const command = located([...start, file], folder, files);
    if (command !== undefined) return { command, source: `${folder}${file}` };
  }
  return undefined;
}

/** Main files, each with what starts it. */
const MAIN_FILES: readonly (readonly [file: string, ...start: string[]])[] = [
  ['server.js', 'node'],
  ['server.ts', 'node'],
  ['index.js', 'node'],
  ['main.py', 'python3'],
  ['app.py', 'python3'],
  ['server.py', 'python3'],
];

/** The words of the last ENTRYPOINT and CMD of a Dockerfile. */
function ofDockerfile(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const lines = text.replaceAll(/\\\r?\n/g, ' ').split('\n');
  const last = (word: string): string[] | undefined => {
    const line = lines.findLast((one) => new RegExp(`^\\s*${word}\\s`, 'i').test(one));
    return line === undefined ? undefined : wordsOf(line.trim().slice(word.length).trim());
  };
  const words = [...(last('ENTRYPOINT') ?? []), ...(last('CMD') ?? [])];
  return words.length === 0 ? undefined : words;
}

/** The exec form is JSON; the shell form is a text, of which only plain words are taken. */
function wordsOf(text: string): string[] | undefined {
  try {
    const words: unknown = JSON.parse(text);
    if (Array.isArray(words) && words.every((word) => typeof word === 'string')) return words;
  } catch {
    // The shell form.
  }
  return /["'$&|;<>`]/.test(text) ? undefined : text.split(/\s+/);
}

function ofPackage(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  try {
    const { scripts, main } = JSON.parse(text) as { scripts?: Record<string, string>; main?: string };
    const start = scripts?.['start'];
    if (typeof start === 'string') return wordsOf(start);
    return typeof main === 'string' ? ['node', main] : undefined;
  } catch {
    return undefined;
  }
}

/** Programs that have other names on most machines. */
const ALIASES: Readonly<Record<string, string>> = { python: 'python3', nodejs: 'node' };

/** The command as it runs in the project's folder; undefined where this machine lacks its program, or a word has blanks. */
function located(words: readonly string[], folder: string, files: ProjectFiles): string | undefined {
  const [first = '', ...rest] = words;
  const program = files.hasProgram(first) || first === 'node' ? first : (ALIASES[first] ?? first);
  const isOwn = files.read(`${folder}${clean(first)}`) !== undefined;
  if (!isOwn && program !== 'node' && !files.hasProgram(program)) return undefined;
  const placed = rest.map((word) => {
    const path = `${folder}${clean(word)}`;
    return !word.startsWith('-') && files.read(path) !== undefined ? path : word;
  });
  const all = [isOwn ? `./${folder}${clean(first)}` : program, ...placed];
  return all.some((word) => /\s/.test(word) || word === '') ? undefined : all.join(' ');
}

/** A path as it is in the folder of the sources: images mostly have them in /app. */
function clean(path: string): string {
  return path.replace(/^(?:\.\/|\/(?:usr\/src\/)?app\/|\/srv\/)/, '');
}
