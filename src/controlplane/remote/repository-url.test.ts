import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkedRef, isSameServer, parseRepositoryUrl } from './repository-url.ts';

const RIGHT: readonly [text: string, url: string, host: string, port: number][] = [
  ['https://github.com/o/r.git', 'https://github.com/o/r.git', 'github.com', 443],
  [' http://git.example:8080/r ', 'http://git.example:8080/r', 'git.example', 8080],
  ['http://0x7f.1/r', 'http://127.0.0.1/r', '127.0.0.1', 80],
  ['http://[::FFFF:127.0.0.1]/r', 'http://[::ffff:7f00:1]/r', '::ffff:7f00:1', 80],
  ['ssh://me@git.example:2222/o/r', 'ssh://me@git.example:2222/o/r', 'git.example', 2222],
  ['ssh://git.example/o/r', 'ssh://git@git.example/o/r', 'git.example', 22],
  ['git@github.com:o/r.git', 'ssh://git@github.com/o/r.git', 'github.com', 22],
  ['me@forge:o/r', 'ssh://me@forge/o/r', 'forge', 22],
  ['github.com:o/r', 'ssh://git@github.com/o/r', 'github.com', 22],
];

for (const [text, url, host, port] of RIGHT) {
  test(`address ${text}`, () => {
    const { transport, ...rest } = parseRepositoryUrl(text);
    assert.deepEqual(rest, { url, host, port });
    assert.equal(transport, url.startsWith('ssh') ? 'ssh' : 'http');
  });
}

const WRONG = [
  '',
  '/etc/passwd',
  'file:///etc',
  'ext::sh -c id',
  'git://host/r',
  '--upload-pack=id',
  'ssh://-oProxyCommand=id/r',
  'ssh://-x@host/r',
  '-oProxyCommand=id@host:r',
  'https://host\n/r',
  'https://',
  'fd::17',
  // Addresses of other schemes, which pages would follow, are no short forms of ssh.
  'javascript:alert(1)',
  'JavaScript:alert(document.domain)',
  'data:text/html,x',
  'vbscript:x',
  'mailto:a@b.example',
  'blob:https://x.example/y',
  'about:blank',
];

for (const text of WRONG) {
  test(`no address: ${JSON.stringify(text)}`, () => {
    assert.throws(() => parseRepositoryUrl(text), { name: 'RemoteError', message: /is no (address|name)/ });
  });
}

test('credentials in the address are refused, and not repeated', () => {
  for (const text of ['https://u:secret@host/r', 'https://secret@host/r', 'ssh://git:secret@host/r']) {
    assert.throws(
      () => parseRepositoryUrl(text),
      (error: Error) => /credentials/.test(error.message) && !error.message.includes('secret'),
    );
  }
  assert.throws(
    () => parseRepositoryUrl('ftp://u:secret@host/r'),
    (error: Error) => !error.message.includes('secret'),
  );
});

test('names of branches and tags are accepted; what git could take for an option is refused', () => {
  for (const name of ['main', 'v1.2.3', 'feature/a-b', 'release_1', 'a#1'])
    assert.equal(checkedRef(name), name);
  for (const name of [
    '',
    '-x',
    '--upload-pack=id',
    'a..b',
    'a b',
    'a:b',
    '+a:b',
    'a~1',
    'a^',
    'a//b',
    'a/',
    'a.lock',
    '@{1}',
    '/a',
    'a/.b',
    'a\nb',
  ])
    assert.throws(() => checkedRef(name), { name: 'RemoteError' }, name);
});

test('the same server is one of the same protocol, host and port; what is no address any more is none', () => {
  assert.ok(isSameServer('https://a.example/x', 'https://a.example/y'));
  assert.ok(isSameServer('git@a.example:x', 'ssh://me@a.example/y'));
  for (const [before, after] of [
    ['https://a.example/x', 'http://a.example/x'],
    ['https://a.example/x', 'https://b.example/x'],
    ['https://a.example/x', 'https://a.example:444/x'],
    ['data:x', 'https://a.example/x'],
    ['data:x', 'data:x'],
  ] as const)
    assert.equal(isSameServer(before, after), false, `${before} ${after}`);
});
