import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fault } from '../testing/builders.ts';
import { runExperimentMain } from './experiment-main.ts';
import { parseFlags } from './flags.ts';
import { runHelperMain } from './helper-main.ts';
import { abortOnSignal, type ProcessIo } from './process-io.ts';

test('one dash or two, with a space or an equals sign', () => {
  const known = ['pod-delete'];
  for (const argv of [
    ['-name', 'pod-delete'],
    ['--name', 'pod-delete'],
    ['-name=pod-delete'],
    ['--name=pod-delete'],
  ]) {
    assert.deepEqual(parseFlags('experiment', argv, known), { name: 'pod-delete', kubeconfig: undefined });
  }
  const both = ['-kubeconfig', '/k', '-name', 'pod-delete'];
  assert.deepEqual(parseFlags('experiment', both, known), { name: 'pod-delete', kubeconfig: '/k' });
});

test('what cannot be used is refused with what there is', () => {
  const flags =
    (...argv: string[]) =>
    () =>
      parseFlags('experiment', argv, ['b', 'a']);
  assert.throws(flags(), /no -name given; known: a, b; usage: turnsole experiment -name NAME/);
  assert.throws(flags('-name', 'c'), /there is no experiment named "c"; known: a, b/);
  assert.throws(flags('-name', 'a', '-bogus', 'x'), /bogus.*usage/);
  assert.throws(flags('-name', 'a', 'extra'), /usage/);
});

function recorded(): { io: ProcessIo; lines: string[]; send: (signal: string) => void } {
  const lines: string[] = [];
  const listeners = new Set<(signal: string) => void>();
  const io: ProcessIo = {
    complain: (line) => void lines.push(line),
    print: () => {},
    onSignal: (callback) => {
      listeners.add(callback);
      return () => listeners.delete(callback);
    },
  };
  return { io, lines, send: (signal) => void [...listeners].map((listener) => listener(signal)) };
}

const registry = new Map([['pod-delete', () => Promise.resolve(fault({ name: 'pod-delete' }))]]);

test('an unknown name or no cluster is an error with exit code 2', async () => {
  const { io, lines } = recorded();
  assert.equal(await runExperimentMain(['-name', 'nope'], {}, registry, io), 2);
  assert.equal(
    await runExperimentMain(['-name', 'pod-delete', '-kubeconfig', '/does/not/exist'], {}, registry, io),
    2,
  );
  assert.equal(await runHelperMain(['-name', 'pod-delete'], {}, registry, io), 2);
  assert.match(
    lines[0] ?? '',
    /^turnsole experiment: there is no experiment named "nope"; known: pod-delete$/,
  );
  assert.match(lines[1] ?? '', /^turnsole experiment: .*\/does\/not\/exist/);
  assert.match(lines[2] ?? '', /^turnsole helper: TURNSOLE_ASSIGNMENT is not set/);
});

test('the first signal aborts, the next ones only say so', () => {
  const { io, lines, send } = recorded();
  const { signal, close } = abortOnSignal(io);
  send('SIGTERM');
  assert.equal(signal.aborted, true);
  assert.equal(signal.reason.message, 'received SIGTERM');
  send('SIGINT');
  assert.equal(signal.reason.message, 'received SIGTERM');
  assert.deepEqual(lines, ['SIGINT: already stopping, reverting first']);
  close();
  send('SIGINT');
  assert.equal(lines.length, 1);
});
