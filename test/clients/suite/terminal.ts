import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';

/** What is typed as soon as the terminal shows something new that matches. */
export type Typing = readonly [shown: RegExp, keys: string];

export const ENTER = '\r';

/** How a program in a terminal ended. */
export interface Shown {
  readonly code: number | null;
  /** Everything that it wrote, without the sequences that move and colour it. */
  readonly text: string;
}

/**
 * Runs a program in a terminal (util-linux' `script`) as a person would who waits for what it asks before they type.
 * @throws AssertionError with what is shown when it does not end in time
 */
export async function inTerminal(
  script: string,
  words: readonly string[],
  typings: readonly Typing[],
  env: NodeJS.ProcessEnv,
): Promise<Shown> {
  const line = `stty rows 40 cols 200; exec ${words.map(quoted).join(' ')}`;
  const child = spawn(script, ['-qefc', line, '/dev/null'], { env, cwd: env.HOME, detached: true });
  let shown = '';
  let seen = 0;
  const left = [...typings];
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    const [next] = left;
    if (next === undefined || !next[0].test(plain(shown.slice(seen)))) return;
    left.shift();
    seen = shown.length;
    child.stdin.write(next[1]);
  });
  child.stdin.on('error', () => {});
  try {
    const [code] = (await once(child, 'close', { signal: AbortSignal.timeout(PATIENCE_MS) })) as [
      number | null,
    ];
    return { code, text: plain(shown) };
  } catch {
    process.kill(-(child.pid ?? 0), 'SIGKILL');
    const waited = left[0] === undefined ? 'it to end' : String(left[0][0]);
    assert.fail(`${words.join(' ')} was waited for (${waited}): ${plain(shown).slice(-1_500)}`);
  }
}

/** A text without the sequences that move and colour it. */
function plain(printed: string): string {
  return stripVTControlCharacters(printed).replaceAll('\r', '');
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
