/** Scenes: folders as pages have them, in which their commands are run as they are printed, one after the other. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Arrivals } from '@turnsole/kube/testing/arrivals';
import { MAIN } from '../../support/turnsole.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
/** Of one command: the longest wait for a cluster, an application, and seconds of chaos. */
const LIMIT_MS = 180_000;

/** A command of a page, and what it has to do. */
export interface Step {
  /** As in {@link PrintedCommand.name}. */
  readonly command: string;
  /** Exit code; 0 unless said. */
  readonly code?: number;
  /** Something that it prints. */
  readonly prints?: RegExp;
  /** It does not end by itself: it is interrupted when a line of it is like this. */
  readonly until?: RegExp;
  /** It does not end by itself, and goes on until the scene is over: what comes next waits for a line like this. */
  readonly beside?: RegExp;
  /** Words in the place of those that readers have to replace. */
  readonly words?: (scene: Scene) => Readonly<Record<string, string>>;
  /** What others have done before: users, the cluster, the time. */
  readonly before?: (scene: Scene) => Promise<unknown> | void;
}

/** What a page's commands are run in. */
export interface SceneOptions {
  readonly page: string;
  readonly name: string;
  /** Programs without which it is skipped. */
  readonly programs?: readonly string[];
  /** Ports of the machine that its commands take. */
  readonly ports?: readonly number[];
  readonly needsRoot?: boolean;
  readonly prepare?: (scene: Scene) => Promise<unknown> | void;
  readonly steps: readonly Step[];
}

interface Outcome {
  readonly code: number | null;
  readonly printed: string;
}

/** A folder below one that has the package installed, a home, and clusters of its own. Ends with all that was started in it. */
export class Scene implements AsyncDisposable {
  readonly folder: string;
  /** What earlier commands have printed. */
  printed = '';
  #env: NodeJS.ProcessEnv;
  readonly #beside: { readonly child: ChildProcess; readonly ended: Promise<Outcome> }[] = [];

  constructor(folder: string) {
    this.folder = folder;
    const home = join(folder, '.home');
    mkdirSync(join(home, '.kube'), { recursive: true });
    const { NODE_TEST_CONTEXT: _, KUBECONFIG: _kubeconfig, ...inherited } = process.env;
    this.#env = {
      ...inherited,
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
      HOME: home,
      XDG_STATE_HOME: join(home, 'state'),
      XDG_CACHE_HOME: join(home, 'cache'),
      XDG_CONFIG_HOME: join(home, 'config'),
      NO_COLOR: '1',
      npm_config_offline: 'true',
      npm_config_update_notifier: 'false',
    };
  }

  /** A file of the folder. */
  write(name: string, text: string): void {
    mkdirSync(dirname(join(this.folder, name)), { recursive: true });
    writeFileSync(join(this.folder, name), text);
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8');
  }

  /** Copies a file or folder of the checkout. */
  copy(from: string, to: string): void {
    cpSync(join(ROOT, from), join(this.folder, to), { recursive: true });
  }

  /** The quick start, with two seconds of chaos in the place of fifteen, and without limits that a busy machine exceeds. */
  copyQuickstart(to: string): void {
    this.copy('examples/quickstart', to);
    const engine = join(to, '3-engine.yaml');
    const [onlyAnswers = ''] = this.read(engine).split('          - name: users-were-served');
    this.write(
      engine,
      onlyAnswers
        .replace('DURATION, value: "15"', 'DURATION, value: "2"')
        .replace('INTERVAL, value: "5"', 'INTERVAL, value: "1"')
        .replace('probeTimeout: 1s', 'probeTimeout: 20s'),
    );
  }

  /** A cluster of somebody's, of which `~/.kube/config` is. */
  async cluster(...args: readonly string[]): Promise<void> {
    await this.turnsole('up', '--detach', '--name', 'site', '--kubeconfig', '.home/.kube/config', ...args);
  }

  /** The command of the checkout. @throws AssertionError when it does not end with 0 */
  async turnsole(...args: readonly string[]): Promise<string> {
    const quoted = [process.execPath, MAIN, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
    return await this.shell(quoted.join(' '));
  }

  /** Any line. @throws AssertionError when it does not end with 0 */
  async shell(line: string): Promise<string> {
    const { code, printed } = await this.#start(line).ended;
    assert.equal(code, 0, `${line}\n${printed}`);
    return printed;
  }

  /** Runs a step as it is printed. @throws AssertionError where it does not do what it has to */
  async run(step: Step, text: string): Promise<void> {
    await step.before?.(this);
    const line = Object.entries(step.words?.(this) ?? {}).reduce((now, [word, by]) => {
      assert.ok(now.includes(word), `${text}: has no ${word} to replace`);
      return now.replaceAll(word, by);
    }, text);
    const process = this.#start(line);
    const wanted = step.until ?? step.beside;
    if (wanted !== undefined) await process.printed(wanted);
    if (step.beside !== undefined) {
      this.#beside.push(process);
      return;
    }
    if (step.until !== undefined) interrupt(process.child);
    const { code, printed } = await process.ended;
    if (step.until === undefined) assert.equal(code, step.code ?? 0, `${line}\n${printed}`);
    assert.match(printed, step.prints ?? /^/, line);
  }

  /** A shell with what earlier ones have exported. */
  #start(line: string): {
    readonly child: ChildProcess;
    readonly ended: Promise<Outcome>;
    readonly printed: (wanted: RegExp) => Promise<void>;
  } {
    const child = spawn('sh', ['-c', `${line}\ncode=$?\nenv -0 >&3\nexit $code`], {
      cwd: this.folder,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
    let printed = '';
    let exported = '';
    let isOver = false;
    const arrivals = new Arrivals();
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        printed += chunk;
        this.printed += chunk;
        arrivals.came();
      });
    child.stdio[3]?.on('data', (chunk: Buffer) => {
      exported += chunk;
    });
    const timer = setTimeout(() => {
      printed += `\nnot ended within ${LIMIT_MS / 1000} s`;
      signalGroup(child, 'SIGKILL');
    }, LIMIT_MS);
    const ended = once(child, 'close').then(([code]: unknown[]) => {
      clearTimeout(timer);
      isOver = true;
      arrivals.came();
      if (exported !== '')
        this.#env = Object.fromEntries(
          exported.split('\0').flatMap((entry) => (entry.includes('=') ? [entry.split(/=(.*)/s, 2)] : [])),
        );
      return { code: code as number | null, printed };
    });
    return {
      child,
      ended,
      printed: async (wanted) => {
        await arrivals.until(
          () => isOver || wanted.test(printed),
          () => `${line}: prints nothing like ${wanted}:\n${printed}`,
        );
        assert.match(printed, wanted, line);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child, ended } of this.#beside.toReversed()) {
      interrupt(child);
      await ended;
    }
    await this.turnsole('down', '--all');
  }
}

/** As Ctrl-C does in a terminal. */
function interrupt(child: ChildProcess): void {
  signalGroup(child, 'SIGINT');
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
