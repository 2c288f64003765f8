import assert from 'node:assert/strict';
import { test } from 'node:test';
import { carrierOf } from './outward.ts';
import { withAdminFolders } from './start-inside.ts';
import { hasSubIds } from './sub-ids.ts';
import { explainRefusal, isAskedFor, type NamespaceSettings, settingAgainst } from './why-not.ts';

test('namespaces are for ordinary users of Linux whose pods have to be isolated', () => {
  const ordinary = { platform: 'linux', uid: 1000, isolation: 'full', isSimulated: false } as const;
  const cases = [
    [{}, true],
    [{ isolation: 'auto' }, false],
    [{ isolation: 'none' }, false],
    [{ uid: 0 }, false],
    [{ platform: 'darwin' }, false],
    [{ isSimulated: true }, false],
  ] as const;
  for (const [given, worth] of cases)
    assert.equal(isAskedFor({ ...ordinary, ...given }), worth, JSON.stringify(given));
});

const PLAIN: NamespaceSettings = {
  userClone: '',
  appArmorRestricts: '',
  maxNamespaces: '95000\n',
  isContainer: false,
};

test('a setting that is against namespaces is named with the one command that helps', () => {
  const cases = [
    [{}, undefined],
    [{ userClone: '1\n', appArmorRestricts: '0\n' }, undefined],
    [{ userClone: '0\n' }, 'sysctl -w kernel.unprivileged_userns_clone=1'],
    [{ appArmorRestricts: '1\n' }, 'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0'],
    [{ maxNamespaces: '0\n' }, 'sysctl -w user.max_user_namespaces=15000'],
    [{ isContainer: true }, 'run it as root in a privileged container, or outside of one'],
    // What the kernel says counts in a container as well.
    [{ isContainer: true, userClone: '0\n' }, 'sysctl -w kernel.unprivileged_userns_clone=1'],
  ] as const;
  for (const [given, help] of cases) {
    assert.equal(settingAgainst({ ...PLAIN, ...given })?.help, help, JSON.stringify(given));
  }
  assert.equal(
    explainRefusal('unshare: unshare failed: Operation not permitted', { ...PLAIN, userClone: '0\n' }),
    'this user cannot be root of namespaces of his own: unshare: unshare failed: Operation not permitted; ' +
      'this kernel gives them to root alone: sysctl -w kernel.unprivileged_userns_clone=1',
  );
  assert.equal(explainRefusal('no', PLAIN), 'this user cannot be root of namespaces of his own: no');
});

test('sub-ids are a user’s by name or number', () => {
  const text = 'somebody:100000:65536\n1001:165536:65536\nempty:231072:0\n';
  const cases = [
    [{ uid: 1000, name: 'somebody' }, true],
    [{ uid: 1001, name: 'other' }, true],
    [{ uid: 1001, name: undefined }, true],
    [{ uid: 1002, name: 'empty' }, false],
    [{ uid: 1003, name: 'some' }, false],
  ] as const;
  for (const [user, has] of cases) assert.equal(hasSubIds(text, user), has, JSON.stringify(user));
  assert.equal(hasSubIds('', { uid: 0, name: 'root' }), false);
});

test('connections outward: by the first program that is there, or why there are none', () => {
  const carrier = (programs: readonly string[], hasTunnel = true): unknown => {
    const found = carrierOf((name) => programs.includes(name), hasTunnel);
    return 'missing' in found ? found.missing : [found.program, found.resolver];
  };
  assert.deepEqual(carrier(['slirp4netns', 'pasta']), ['pasta', '169.254.1.53']);
  assert.deepEqual(carrier(['slirp4netns']), ['slirp4netns', '10.0.2.3']);
  assert.equal(carrier([]), 'neither pasta (package passt) nor slirp4netns is found in PATH');
  assert.equal(carrier(['pasta'], false), 'this user may not open /dev/net/tun');
});

test('programs of administrators are found, after the user’s own', () => {
  assert.equal(
    withAdminFolders('/home/a/bin:/usr/bin'),
    '/home/a/bin:/usr/bin:/usr/local/sbin:/usr/sbin:/sbin',
  );
  assert.equal(withAdminFolders('/usr/sbin:/usr/bin'), '/usr/sbin:/usr/bin:/usr/local/sbin:/sbin');
});
