import assert from 'node:assert/strict';
import { test } from 'node:test';
import { programEnv } from './program-env.ts';

test('a program beside the helper gets the path and the cache of compiled code, and nothing else', () => {
  const cases: readonly (readonly [string, NodeJS.ProcessEnv, Record<string, string>])[] = [
    ['both', { PATH: '/bin', NODE_COMPILE_CACHE: '/c' }, { PATH: '/bin', NODE_COMPILE_CACHE: '/c' }],
    ['no cache', { PATH: '/bin' }, { PATH: '/bin' }],
    ['neither', {}, { PATH: '' }],
    ['others', { NODE_OPTIONS: '--require x', TURNSOLE_CONTAINER_ID: '1', PATH: '/bin' }, { PATH: '/bin' }],
  ];
  for (const [name, env, expected] of cases) assert.deepEqual(programEnv(env), expected, name);
});
