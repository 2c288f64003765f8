import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { findNode } from '../../bin/find-node.js';
import { ownNode } from './own-node.ts';

test('the Node of Turnsole is new enough, and the command and its programs want the same one', () => {
  const minimum = /const MINIMUM_NODE = (\d+);/;
  const [, ofCommand] = minimum.exec(readFileSync('bin/turnsole.js', 'utf8')) ?? [];
  assert.ok(ofCommand !== undefined);
  for (const file of ['src/process/own-node.ts', 'bin/find-node.js'])
    assert.equal(minimum.exec(readFileSync(file, 'utf8'))?.[1], ofCommand, file);
  const version = execFileSync(ownNode(), ['-p', 'process.versions.node'], { encoding: 'utf8' });
  assert.ok(Number.parseInt(version, 10) >= Number(ofCommand), version);
});

test('the Node of a checkout is found, whichever Node looks for it', () => {
  assert.match(execFileSync(findNode(), ['-v'], { encoding: 'utf8' }), /^v24\./);
});
