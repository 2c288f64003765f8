import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import type { KubeClient } from '@turnsole/kube/client/types';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import type { NodeOrder } from '@turnsole/workflows/pods/helper';
import { type Report, readReport } from '@turnsole/workflows/pods/report';
import { RUN_SCRIPT } from '@turnsole/workflows/pods/script';
import { type Places, placesBelow } from '../places.ts';
import { runHelper } from '../run-helper.ts';

const NOTHING: NodeOrder = {
  node: 'w-1',
  pod: 'w-1',
  workflow: 'w',
  owner: { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', name: 'w', uid: 'u' },
  mains: ['main'],
  uses: [],
  artifacts: { inputs: [], outputs: [], logs: [] },
  onVolumes: [],
  parameters: [],
};

/** How a program has ended, and what it left. */
interface Ended {
  readonly code: number;
  readonly lastWords: string;
  readonly report: Report | undefined;
}

/** The files of a pod of a workflow's node, below a temporary folder; programs and shell really run. */
export class NodeFixture {
  readonly places: Places;
  readonly root: string;
  readonly #order: NodeOrder;

  constructor(t: TestContext, order: Partial<NodeOrder>) {
    this.root = mkdtempSync(join(tmpdir(), 'turnsole-node-'));
    t.after(() => rmSync(this.root, { recursive: true, force: true }));
    this.places = placesBelow(this.root);
    this.#order = { ...NOTHING, ...order };
    this.write(this.places.order, JSON.stringify(this.#order));
    this.write(this.places.lastWords, '');
    for (const folder of [this.places.home, this.places.fetched, this.places.main])
      mkdirSync(folder, { recursive: true });
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  read(path: string): string {
    return readFileSync(path, 'utf8');
  }

  /** A link, as the kubelet of the embedded cluster makes for mounts. */
  mount(path: string, target: string): void {
    mkdirSync(dirname(this.places.at(path)), { recursive: true });
    symlinkSync(target, this.places.at(path));
  }

  /** Runs one of the programs to its end. */
  async run(
    program: string,
    { signal = AbortSignal.timeout(PATIENCE_MS), env = {}, client }: RunOptions = {},
  ): Promise<Ended> {
    let log = '';
    const code = await runHelper(
      [program],
      { TURNSOLE_POD_ROOT: this.root, TURNSOLE_BUSYBOX: 'host', ...env },
      {
        signal,
        print: (text) => {
          log += text;
        },
        ...(client && { client }),
      },
    );
    const reports = log.split('\n').map((line) => readReport(line, this.#order.node));
    return {
      code,
      lastWords: this.read(this.places.lastWords),
      report: reports.findLast((report) => report !== undefined),
    };
  }

  /** Starts a command of a container with the shell around it; `init` has to have run. */
  start(name: string, options: readonly string[], command: readonly string[]): ChildProcess {
    const script = join(this.root, 'run.sh');
    this.write(script, RUN_SCRIPT);
    const busybox = join(this.places.home, 'bin/busybox');
    return spawn(busybox, ['sh', script, this.places.home, name, ...options, '--', ...command], {
      stdio: 'ignore',
    });
  }

  /** Runs a command of main and `wait` beside it, as in a pod. */
  async step(options: readonly string[], command: readonly string[]): Promise<Ended> {
    const { code, lastWords } = await this.run('init');
    assert.equal(code, 0, lastWords);
    const waiting = this.run('wait');
    const main = this.start('main', options, command);
    await once(main, 'exit');
    return waiting;
  }
}

interface RunOptions {
  readonly signal?: AbortSignal;
  readonly env?: Readonly<Record<string, string>>;
  readonly client?: KubeClient;
}
