import { parseImage } from '@turnsole/kube/text/image-reference';
import { compiledProgram } from './compiled-programs.ts';
import { readDockerfile } from './dockerfile.ts';
import { variablesForCommand, withVariables } from './dockerfile-variables.ts';
import { jarProgram } from './jar-programs.ts';
import type { GuessedCommand, ProjectFiles } from './project-files.ts';

/** Images of programs that machines have under their own names. Redis' image answers every pod, as its program alone does not. */
const PROGRAMS: Readonly<Record<string, string>> = {
  redis: 'redis-server --protected-mode no',
  valkey: 'valkey-server --protected-mode no',
  memcached: 'memcached -u nobody',
  python: 'python3',
  golang: 'go',
};

/**
 * Guesses the command that an image stands for: from the Dockerfile of its folder, from package.json, from sources that are compiled, from
 * the usual names of main files; with the variables that the Dockerfile sets. Undefined where nothing says it. Pure but for what it is given.
 */
export function guessCommand(image: string, files: ProjectFiles): GuessedCommand | undefined {
  const name = parseImage(image)?.path.split('/').at(-1) ?? '';
  const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  if (program !== undefined) {
    const [first = ''] = program.split(' ');
    return files.hasProgram(first) ? { command: program, source: `${first} of this machine` } : undefined;
  }
  for (const folder of foldersOf(name)) {
    const found = inFolder(name, folder, files);
    if (found === undefined) continue;
    const image = readDockerfile(files.read(`${folder}Dockerfile`) ?? '', name);
    return { ...found, command: withVariables(found.command, variablesForCommand(image)) };
  }
  return undefined;
}

/** Where the sources of an image may be: a folder of its name, else the project itself. */
export function foldersOf(name: string): readonly string[] {
  const own = ['', 'services/', 'apps/', 'packages/', 'src/', 'cmd/'].map((parent) => `${parent}${name}/`);
  return name === '' ? [''] : [...own, ''];
}

function inFolder(name: string, folder: string, files: ProjectFiles): GuessedCommand | undefined {
  const dockerfile = files.read(`${folder}Dockerfile`);
  const packageJson = files.read(`${folder}package.json`);
  const { start, hasBuild } = packageJson === undefined ? { hasBuild: false } : scriptsOfPackage(packageJson);
  const said: readonly (readonly [words: readonly string[] | undefined, source: string])[] = [
    [dockerfile === undefined ? undefined : wordsOfDockerfile(dockerfile, name), `${folder}Dockerfile`],
    [start, `${folder}package.json`],
  ];
  for (const [words, source] of said) {
    const found = words === undefined ? undefined : located(words, { folder, files, hasBuild, source });
    if (found !== undefined) return found;
  }
  const compiled = jarProgram(folder, files) ?? compiledProgram(name, folder, files);
  if (compiled !== undefined) return compiled;
  for (const [file, ...first] of MAIN_FILES) {
    if (files.read(`${folder}${file}`) === undefined) continue;
    const found = located([...first, file], { folder, files, hasBuild: false, source: `${folder}${file}` });
    if (found !== undefined) return found;
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
  ['Main.java', 'java'],
];

/** Programs that have other names on most machines. */
const ALIASES: Readonly<Record<string, string>> = { python: 'python3', nodejs: 'node' };

/** Words that name a file which has to be there: scripts and archives that an interpreter is given. */
const SCRIPT = /\.(?:[cm]?js|ts|py|rb|php|jar|pl)$/;

interface Place {
  readonly folder: string;
  readonly files: ProjectFiles;
  /** Whether package.json has a script that may make what is not there. */
  readonly hasBuild: boolean;
  readonly source: string;
}

/**
 * The command as it runs in the project's folder; undefined where this machine lacks its program, a word has blanks, or a script that it
 * names is not there and nothing makes it.
 */
function located(words: readonly string[], place: Place): GuessedCommand | undefined {
  const { folder, files, hasBuild, source } = place;
  const [first = '', ...rest] = words;
  const program = files.hasProgram(first) || first === 'node' ? first : (ALIASES[first] ?? first);
  const isOwn = files.read(`${folder}${clean(first)}`) !== undefined;
  if (!isOwn && program !== 'node' && !files.hasProgram(program)) return undefined;
  const missing = rest.filter(
    (word) => SCRIPT.test(word) && files.read(`${folder}${clean(word)}`) === undefined,
  );
  // Only scripts of JavaScript are made by the build of package.json.
  const isBuilt = hasBuild && files.hasProgram('npm') && missing.every((word) => word.endsWith('js'));
  if (missing.length > 0 && !isBuilt) return undefined;
  const placed = rest.map((word) => {
    const path = `${folder}${clean(word)}`;
    const isFile = !word.startsWith('-') && files.read(path) !== undefined;
    return isFile || missing.includes(word) ? path : word;
  });
  const namesFile = isOwn || missing.length > 0 || placed.some((word) => files.read(word) !== undefined);
  // Modules and classes are looked for in the folder in which a program starts.
  const all = [
    ...(namesFile ? [] : ['env', '-C', folder === '' ? '.' : folder.slice(0, -1)]),
    isOwn ? `./${folder}${clean(first)}` : program,
    ...placed,
  ];
  if (all.some((word) => /\s/.test(word) || word === '')) return undefined;
  const build = folder === '' ? 'npm run build' : `npm --prefix ${folder.slice(0, -1)} run build`;
  return { command: all.join(' '), ...(missing.length > 0 && { build }), source };
}

/** A path as it is in the folder of the sources: images mostly have them in /app. */
function clean(path: string): string {
  return path.replace(/^(?:\.\/|\/(?:(?:usr\/src\/)?app\/|srv\/)?)/, '');
}

/** The words of ENTRYPOINT and CMD of a Dockerfile; undefined where it has none that are plain words. Pure. */
function wordsOfDockerfile(text: string, name: string): readonly string[] | undefined {
  const { entrypoint, command } = readDockerfile(text, name);
  const words = [entrypoint, command].flatMap((said) => (said === undefined ? [] : (wordsOf(said) ?? [])));
  return words.length === 0 ? undefined : words;
}

/** What package.json says of starting and building; nothing where it is broken. Pure. */
function scriptsOfPackage(text: string): {
  readonly start?: readonly string[] | undefined;
  readonly hasBuild: boolean;
} {
  try {
    const { scripts = {}, main } = JSON.parse(text) as { scripts?: Record<string, unknown>; main?: unknown };
    const { start, build } = scripts;
    const words =
      typeof start === 'string' ? wordsOf(start) : typeof main === 'string' ? ['node', main] : undefined;
    return { start: words, hasBuild: typeof build === 'string' };
  } catch {
    return { hasBuild: false };
  }
}

/** The exec form is JSON; the shell form is a text, of which only plain words are taken. */
function wordsOf(text: string): readonly string[] | undefined {
  try {
    const words: unknown = JSON.parse(text);
    if (Array.isArray(words) && words.every((word) => typeof word === 'string')) return words;
  } catch {
    // The shell form.
  }
  return /["'$&|;<>`]/.test(text) ? undefined : text.split(/\s+/);
}
