import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type AddressBlock, claimAddressBlock } from '../network/address-block.ts';
import { processesByContainer } from './orphaned-processes.ts';
import { findTempTools } from './own-temp.ts';
import { PipePool } from './pipe-pool.ts';
import { ProcessRuntime } from './process-runtime.ts';
import type { GroupRegistry } from './reaper.ts';
import { type ContainerLaunch, type OutputSink, type PodSandbox, StartError } from './types.ts';

const linux = process.platform === 'linux';
const tempTools = await findTempTools();
let folder: string;
let addresses: AddressBlock;
let groups: Set<number>;
let sandbox: PodSandbox;
let pipes: PipePool;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'turnsole-runtime-'));
  addresses = await claimAddressBlock();
  groups = new Set();
  const registry: GroupRegistry = {
    add: (group) => groups.add(group),
    delete: (group) => groups.delete(group),
  };
  pipes = new PipePool(join(folder, 'pipes'));
  await pipes.ready();
  const runtime = new ProcessRuntime({ podsDirectory: folder, addresses, groups: registry, pipes });
  sandbox = await runtime.createSandbox({
    pod: { metadata: { name: 'p' } },
    uid: 'u1',
    namespace: 'default',
    name: 'web',
    hostNetwork: false,
    hostIP: '127.0.0.1',
  });
});

afterEach(async () => {
  await sandbox.remove();
  pipes.close();
  await pipes.ready();
  await addresses.release();
  rmSync(folder, { recursive: true, force: true });
});

class Output implements OutputSink {
  text = '';
  ended = false;
  #waiting: { text: string; resolve: () => void }[] = [];

  write(stream: 'stdout' | 'stderr', chunk: Uint8Array): void {
    this.text += `${stream === 'stderr' ? '!' : ''}${Buffer.from(chunk).toString()}`;
    this.#waiting = this.#waiting.filter(({ text, resolve }) => {
      if (!this.text.includes(text)) return true;
      resolve();
      return false;
    });
  }

  end(): void {
    this.ended = true;
  }

  until(text: string): Promise<void> {
    if (this.text.includes(text)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ text, resolve }));
  }
}

function launch(script: string, output: OutputSink, env: Record<string, string> = {}): ContainerLaunch {
  const id = randomBytes(32).toString('hex');
  return {
    container: 'main',
    id,
    command: ['/bin/sh', '-c', script],
    env: { PATH: process.env.PATH ?? '', TURNSOLE_CONTAINER_ID: id, ...env },
    workingDirectory: folder,
    output,
  };
}

test('output, exit code, working directory and a clean environment', async () => {
  process.env.TURNSOLE_TEST_SECRET = 'parent';
  const output = new Output();
  const running = await sandbox.start(
    launch('pwd; echo "secret=$TURNSOLE_TEST_SECRET given=$GIVEN"; echo bad >&2; exit 3', output, {
      GIVEN: 'yes',
    }),
  );
  assert.deepEqual(await running.exited, { exitCode: 3 });
  assert.ok(output.ended);
  assert.match(output.text, /secret= given=yes\n/);
  assert.match(output.text, /!bad\n/);
  assert.ok(output.text.includes(folder));
  delete process.env.TURNSOLE_TEST_SECRET;
});

test('standard output can be opened again by its path', { skip: !linux }, async () => {
  const output = new Output();
  const running = await sandbox.start(
    launch('echo plain; echo again > /dev/stdout; echo bad > /dev/stderr', output),
  );
  assert.deepEqual(await running.exited, { exitCode: 0 });
  assert.match(output.text, /plain\n/);
  assert.match(output.text, /again\n/);
  assert.match(output.text, /!bad\n/);
});

test('when no pipe is left, containers run all the same', async () => {
  pipes.close();
  assert.equal(pipes.take(), undefined);
  const output = new Output();
  const running = await sandbox.start(launch('echo plain', output));
  assert.deepEqual(await running.exited, { exitCode: 0 });
  assert.equal(output.text, 'plain\n');
});

test('many at once: all output of each, and the pool fills up again', async () => {
  const outputs = Array.from({ length: 40 }, () => new Output());
  const runs = outputs.map(async (output, index) => {
    const running = await sandbox.start(launch(`echo ${index}; seq 2000`, output));
    return running.exited;
  });
  for (const exit of await Promise.all(runs)) assert.deepEqual(exit, { exitCode: 0 });
  for (const [index, { text }] of outputs.entries()) {
    assert.ok(text.startsWith(`${index}\n1\n`) && text.endsWith('\n2000\n'), text.slice(-20));
  }
  await pipes.ready();
  const pipe = pipes.take();
  assert.ok(pipe);
  pipe.output.destroy();
  closeSync(pipe.input);
});

test('a signal ends it with 128 + n', async () => {
  const output = new Output();
  const running = await sandbox.start(launch('echo up; while :; do sleep 60; done', output));
  await output.until('up');
  running.signal('SIGKILL');
  assert.deepEqual(await running.exited, { exitCode: 137, signal: 9 });
});

test('the end of the main process ends its children, also those that left the group', {
  skip: !linux,
}, async () => {
  const output = new Output();
  const spec = launch('sleep 1000 & setsid sleep 1000 & echo up', output);
  const running = await sandbox.start(spec);
  await running.exited;
  await running.gone;
  assert.deepEqual(await processesByContainer(new Set([spec.id])), new Map());
  assert.equal(groups.size, 0);
});

test('output of a child that holds the pipe does not keep the container alive', {
  skip: !linux,
}, async () => {
  const output = new Output();
  const running = await sandbox.start(launch('env -i setsid sleep 2 & echo main done', output));
  assert.deepEqual(await running.exited, { exitCode: 0 });
  assert.equal(output.text, 'main done\n');
});

for (const [name, command, message] of [
  ['a missing command', ['turnsole-no-such-command'], /executable file not found in \$PATH/],
  ['a missing file', ['/no/such/file'], /stat \/no\/such\/file: no such file or directory/],
] as const) {
  test(`${name} is a StartError`, async () => {
    const output = new Output();
    await assert.rejects(sandbox.start({ ...launch('', output), command }), (error: unknown) => {
      assert.ok(error instanceof StartError);
      assert.match(error.message, message);
      return true;
    });
    assert.equal(groups.size, 0);
  });
}

test('exec runs beside the main process and dies with it', async () => {
  const output = new Output();
  const running = await sandbox.start(
    launch('echo up; while :; do sleep 60; done', output, { COLOR: 'blue' }),
  );
  await output.until('up');
  const quick = await running.exec(['/bin/sh', '-c', 'read line; echo "$COLOR $line"; exit 4']);
  quick.stdin.end('input\n');
  const chunks: Buffer[] = [];
  for await (const chunk of quick.stdout) chunks.push(chunk);
  assert.equal(Buffer.concat(chunks).toString(), 'blue input\n');
  assert.deepEqual(await quick.exited, { exitCode: 4 });
  const long = await running.exec(['/bin/sh', '-c', 'sleep 1000']);
  running.kill();
  assert.deepEqual(await long.exited, { exitCode: 137, signal: 9 });
  await running.gone;
  await assert.rejects(running.exec(['true']), StartError);
});

test('what a command wrote is there although it has ended before anybody reads', async () => {
  const output = new Output();
  const running = await sandbox.start(launch('echo up; while :; do sleep 60; done', output));
  await output.until('up');
  const quick = await running.exec(['/bin/sh', '-c', 'echo said; echo bad >&2']);
  assert.deepEqual(await quick.exited, { exitCode: 0 });
  // Node drains the outputs of a process in the turn after its exit.
  await setImmediate();
  assert.deepEqual([await text(quick.stdout), await text(quick.stderr)], ['said\n', 'bad\n']);
});

test('removing the sandbox kills what runs, gives the address back and removes the folder', async () => {
  const output = new Output();
  writeFileSync(join(sandbox.directory, 'file'), '');
  const running = await sandbox.start(launch('echo up; while :; do sleep 60; done', output));
  await output.until('up');
  await Promise.all([sandbox.remove(), sandbox.remove()]);
  assert.deepEqual(await running.exited, { exitCode: 137, signal: 9 });
  assert.equal(existsSync(sandbox.directory), false);
});

describe('a /tmp of its own', {
  skip: tempTools === undefined ? 'this user may not have namespaces' : !linux,
}, () => {
  let own: PodSandbox;
  beforeEach(async () => {
    assert.ok(tempTools !== undefined);
    const runtime = new ProcessRuntime({
      podsDirectory: join(folder, 'pods'),
      addresses,
      groups: { add: (group) => groups.add(group), delete: (group) => groups.delete(group) },
      pipes,
      ownTemp: { tools: tempTools, needs: [folder] },
    });
    const pod = { metadata: { name: 'p' } };
    const place = { namespace: 'default', hostNetwork: false, hostIP: '127.0.0.1' };
    own = await runtime.createSandbox({ ...place, pod, uid: 'u2', name: 'own' });
  });
  afterEach(() => own.remove());

  function inTemp(name: string, script: string, output: OutputSink): ContainerLaunch {
    const source = join(own.rootOf(name), 'tmp');
    mkdirSync(source, { recursive: true });
    return { ...launch(script, output), container: name, temp: { source, needs: [] } };
  }

  test('two containers write one path at the same time, and neither sees the other, nor the machine', async (t) => {
    const mine = join('/tmp', `turnsole-of-the-machine-${process.pid}`);
    writeFileSync(mine, 'machine');
    t.after(() => rmSync(mine));
    const name = `turnsole-out-${process.pid}`;
    const outputs = [new Output(), new Output()];
    const scripts = ['one', 'two'].map(
      (word) => `test ! -e ${mine} || exit 9; echo ${word} > /tmp/${name}; id -u; cat /tmp/${name}`,
    );
    const runs = await Promise.all(
      scripts.map((script, index) => own.start(inTemp(`c${index}`, script, outputs[index] as Output))),
    );
    for (const { exited } of runs) assert.deepEqual(await exited, { exitCode: 0 });
    const uid = process.getuid?.();
    assert.deepEqual(
      outputs.map((output) => output.text),
      [`${uid}\none\n`, `${uid}\ntwo\n`],
    );
    assert.ok(!existsSync(join('/tmp', name)), 'nothing is left on the machine');
    assert.equal(readFileSync(join(own.rootOf('c1'), 'tmp', name), 'utf8'), 'two\n');
  });

  test('a command beside the main process sees the same files, and what the container needs is there', async () => {
    const output = new Output();
    const running = await own.start(
      inTemp('c', 'echo here > /tmp/note; echo written; exec sleep 60', output),
    );
    await output.until('written');
    const exec = await running.exec(['/bin/sh', '-c', `cat /tmp/note; test -d ${folder}/pods && echo kept`]);
    assert.equal(await text(exec.stdout), 'here\nkept\n');
    assert.deepEqual(await exec.exited, { exitCode: 0 });
    assert.ok(
      (await processesByContainer(new Set([running.id]))).has(running.id),
      'it is found by its environment',
    );
    running.signal('SIGTERM');
    assert.deepEqual(await running.exited, { exitCode: 143, signal: 15 });
  });

  test('a program that is not there is refused at the start, as without; one that the container has made runs', async () => {
    const missing = { ...inTemp('m', '', new Output()), command: ['no-such-program'] };
    await assert.rejects(own.start(missing), (error) => {
      assert.ok(error instanceof StartError);
      assert.match(error.message, /executable file not found in \$PATH/);
      return true;
    });
    const made = 'printf "#!/bin/sh\\necho made" > /tmp/made; chmod +x /tmp/made; echo ready; exec sleep 60';
    const output = new Output();
    const running = await own.start(inTemp('n', made, output));
    await output.until('ready');
    assert.equal(await text((await running.exec(['/tmp/made'])).stdout), 'made\n');
    running.kill();
    await running.exited;
  });
});
