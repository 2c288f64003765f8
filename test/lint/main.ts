/**
 * `npm run lint`: format and rules (docs/decisions/0008-type-aware-lint-by-oxlint.md). Looks at what changed since it passed last;
 * the first time, and with `--all`, at everything.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeWhole } from '../../src/services/write-whole.ts';
import { importsOf } from '../architecture/imports.ts';
import { type Digests, whatToLint } from './what-to-lint.ts';

/** Files as they were when everything was right. */
const PASSED = 'node_modules/.cache/turnsole/lint.json';
/** What rules are for. */
const CODE = /\.[cm]?[jt]sx?$/;

const { values } = parseArgs({ options: { all: { type: 'boolean', default: false } } });
process.chdir(join(import.meta.dirname, '../..'));

const texts = new Map(listFiles().map((file) => [file, readFileSync(file)]));
const digests = Object.fromEntries([...texts].map(([file, text]) => [file, hash('sha1', text)]));
const imports = new Map(
  [...texts]
    .filter(([file]) => CODE.test(file))
    .map(([file, text]) => [file, importsOf(file, text.toString())]),
);
const found = values.all ? undefined : whatToLint(digests, readPassed(), imports);

if (found === undefined) {
  run('biome', ['ci']);
  run('oxlint', []);
} else {
  const code = found.affected.filter((file) => CODE.test(file));
  console.log(
    `${found.changed.length} files changed, ${code.length} files of code with those that import them`,
  );
  if (found.changed.length > 0) run('biome', ['ci', '--no-errors-on-unmatched', ...found.changed]);
  if (code.length > 0) run('oxlint', code);
}
mkdirSync(dirname(PASSED), { recursive: true });
await writeWhole(PASSED, JSON.stringify(digests));

/** Files that Git has or would take, of those that are there. */
function listFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return listed.split('\0').filter((file) => file !== '' && existsSync(file));
}

function readPassed(): Digests | undefined {
  if (!existsSync(PASSED)) return undefined;
  return JSON.parse(readFileSync(PASSED, 'utf8')) as Digests;
}

/**
 * Runs a program of the project's packages; ends this one with its exit code when something is wrong.
 *
 * @throws Error when it cannot be started: it is not installed
 */
function run(program: string, words: readonly string[]): void {
  // The checker of types ends within seconds: it need not collect garbage.
  const env = { ...process.env, GOGC: 'off' };
  const { status, error } = spawnSync(join('node_modules', '.bin', program), words, {
    env,
    stdio: 'inherit',
  });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
