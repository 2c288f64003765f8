import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { MINIMUM_NODE } from '../../bin/common.js';
import { findNode } from '../../bin/find-node.js';
import { ownNode } from './own-node.ts';

test('the Node of Turnsole is new enough, and the command and its programs want the same one', () => {
  for (const file of ['bin/turnsole.js', 'src/process/own-node.ts', 'bin/find-node.js'])
    assert.match(
      readFileSync(file, 'utf8'),
      /import \{[^}]*\bMINIMUM_NODE\b[^}]*\} from '[./]*(?:bin\/)?common\.js'/,
      file,
    );
  const version = execFileSync(ownNode(), ['-p', 'process.versions.node'], { encoding: 'utf8' });
  assert.ok(Number.parseInt(version, 10) >= MINIMUM_NODE, version);
});

test('the Node of a checkout is found, whichever Node looks for it', () => {
  assert.match(execFileSync(findNode(), ['-v'], { encoding: 'utf8' }), /^v24\./);
});
