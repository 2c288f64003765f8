import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowedAddresses } from './addresses.ts';
import { refuseGivenFile, refuseGivenRepository } from './given-url.ts';

const NONE = allowedAddresses('');

const INNER = [
  '127.0.0.1',
  '0x7f.1',
  '2130706433',
  '10.1.2.3',
  '169.254.169.254',
  '[::1]',
  'LocalHost',
  'a.localhost.',
];

for (const host of INNER) {
  test(`${host} is refused as host of a repository and of a file, unless it is allowed`, () => {
    const urls = [`https://${host}/r`, `http://${host}:81/r`, `ssh://git@${host}/r`, `git@${host}:r`];
    for (const url of urls) {
      assert.throws(
        () => refuseGivenRepository(url, NONE),
        { name: 'RemoteError', message: /is refused: the address is/ },
        url,
      );
    }
    assert.throws(() => refuseGivenFile(`https://${host}/a.zip`, NONE), {
      name: 'RemoteError',
      message: /is refused/,
    });
    const allowed = allowedAddresses('127.0.0.0/8,10.0.0.0/8,169.254.0.0/16,::1');
    for (const url of urls) refuseGivenRepository(url, allowed);
    refuseGivenFile(`https://${host}/a.zip`, allowed);
  });
}

test('names are judged when they are resolved, and public addresses are taken', () => {
  for (const host of ['git.example', '8.8.8.8', '[2606:4700::1]', 'localhost.example', 'xlocalhost']) {
    refuseGivenRepository(`https://${host}/r`, NONE);
    refuseGivenFile(`https://${host}/r`, NONE);
  }
  refuseGivenRepository('git@git.example:r', NONE);
  refuseGivenRepository('https://localhost/r', allowedAddresses('localhost'));
});

for (const text of [
  'javascript:alert(1)',
  'file:///a',
  'data:application/zip;base64,AA',
  'ssh://h/r',
  'http://x\n.example/',
  '',
]) {
  test(`no address of a file: ${JSON.stringify(text)}`, () => {
    assert.throws(() => refuseGivenFile(text, NONE), { name: 'RemoteError', message: /begins with https:/ });
  });
}
