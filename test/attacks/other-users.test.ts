import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { RunOutput } from '../../src/cli/run-output.ts';
import { compileCacheDirectory } from '../../src/embedded/compile-cache.ts';
import { writeWhole } from '../../src/services/write-whole.ts';
import { turnsole } from '../support/turnsole.ts';

/** `nobody` nearly everywhere; the number is what counts. */
const STRANGER = 65_534;
const takesRoot = process.getuid?.() === 0 ? false : 'files of another user take root';

/** A folder that everybody writes to, as /tmp is, beside a folder of this user. */
function places(t: TestContext): { readonly shared: string; readonly own: string } {
  const folder = mkdtempSync(join(tmpdir(), 'turnsole-planted-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const shared = join(folder, 'shared');
  const own = join(folder, 'own');
  mkdirSync(shared);
  chmodSync(shared, 0o1777);
  mkdirSync(own, { mode: 0o700 });
  return { shared, own };
}

/** What a stranger puts where this user is about to write. */
const PLANTED: Readonly<Record<string, (path: string, own: string) => void>> = {
  'a link to a file of this user': (path, own) => symlinkSync(join(own, 'kept'), path),
  'a link to nothing yet': (path, own) => symlinkSync(join(own, 'new'), path),
  'a link to a folder of this user': (path, own) => symlinkSync(own, path),
  'a file that the stranger reads': (path) => writeFileSync(path, 'theirs'),
  'a pipe that the stranger reads': (path) => execFileSync('mkfifo', [path]),
};

for (const [what, plant] of Object.entries(PLANTED)) {
  test(`nothing is written to ${what}`, { skip: takesRoot }, async (t) => {
    const { shared, own } = places(t);
    writeFileSync(join(own, 'kept'), 'kept');
    const path = join(shared, 'planted');
    plant(path, own);
    lchownSync(path, STRANGER, STRANGER);
    const before = [lstatSync(path), readdirSync(own), readdirSync(shared)];

    await assert.rejects(
      writeWhole(path, 'secret', 0o600),
      /another user \(uid 65534\).*everybody writes to/,
    );
    const complaints = await complaintsOf(t, () =>
      new RunOutput({ artifacts: path }, {}).keep([{ path: 'logs/a.log', text: 'secret' }]),
    );
    assert.match(complaints, /artifacts are not complete: .*another user/);

    assert.deepEqual([lstatSync(path), readdirSync(own), readdirSync(shared)], before);
    assert.equal(readFileSync(join(own, 'kept'), 'utf8'), 'kept');
  });
}

test('nothing is written into a folder for artifacts that a stranger has made', {
  skip: takesRoot,
}, async (t) => {
  const { shared } = places(t);
  const path = join(shared, 'out');
  mkdirSync(path);
  lchownSync(path, STRANGER, STRANGER);
  const complaints = await complaintsOf(t, () =>
    new RunOutput({ artifacts: path }, {}).keep([{ path: 'report.json', text: '{}' }]),
  );
  assert.match(complaints, /artifacts are not complete: .*another user/);
  assert.deepEqual(readdirSync(path), []);
});

test('files of this user in a shared folder, and links in folders of his own, are written as before', async (t) => {
  const { shared, own } = places(t);
  const file = join(shared, 'kubeconfig');
  await writeWhole(file, 'one', 0o600);
  await writeWhole(file, 'two');
  assert.deepEqual([readFileSync(file, 'utf8'), statSync(file).mode & 0o777], ['two', 0o600]);
  symlinkSync(file, join(own, 'link'));
  await writeWhole(join(own, 'link'), 'three');
  assert.equal(readFileSync(file, 'utf8'), 'three');
  await new RunOutput({ artifacts: join(shared, 'out') }, {}).keep([{ path: 'a/b', text: 'kept' }]);
  assert.equal(readFileSync(join(shared, 'out', 'a', 'b'), 'utf8'), 'kept');
});

/** Folders in which a stranger could put compiled code that this user's Node then runs. */
const NOT_OWN: Readonly<Record<string, (path: string, elsewhere: string) => void>> = {
  'that everybody writes to': (path) => {
    mkdirSync(path, { recursive: true });
    chmodSync(path, 0o777);
  },
  'that a group writes to': (path) => {
    mkdirSync(path, { recursive: true });
    chmodSync(path, 0o770);
  },
  'that is a link': (path, elsewhere) => {
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(elsewhere, path);
  },
};

for (const [which, make] of Object.entries(NOT_OWN)) {
  test(`compiled code is neither read from nor kept in a folder ${which}`, async (t) => {
    const { shared, own } = places(t);
    const env = { XDG_CACHE_HOME: shared, HOME: '', TMPDIR: shared };
    const folders = [
      join(shared, 'turnsole', 'compile-cache'),
      join(shared, `turnsole-cache-${userInfo().uid}`),
    ];
    for (const path of folders) make(path, own);
    const before = process.env.TMPDIR;
    process.env.TMPDIR = shared;
    t.after(() => {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    });
    const chosen = compileCacheDirectory(env);
    assert.ok(!folders.includes(chosen), chosen);
    const { uid, mode } = statSync(chosen);
    assert.deepEqual([uid, mode & 0o777], [userInfo().uid, 0o700]);

    const { code } = await turnsole(['--version'], { ...env, NODE_COMPILE_CACHE: '' });
    assert.equal(code, 0);
    assert.deepEqual([...readdirSync(folders[0] ?? ''), ...readdirSync(own)], []);
  });
}

test('compiled code is kept in a folder of this user', async (t) => {
  const { own } = places(t);
  const { code } = await turnsole(['--version'], { XDG_CACHE_HOME: own, NODE_COMPILE_CACHE: '' });
  assert.equal(code, 0);
  const kept = join(own, 'turnsole', 'compile-cache');
  assert.equal(compileCacheDirectory({ XDG_CACHE_HOME: own }), kept);
  assert.notDeepEqual(readdirSync(kept), []);
});

/** What is printed to standard error meanwhile. */
async function complaintsOf(t: TestContext, action: () => Promise<void>): Promise<string> {
  const printed: string[] = [];
  const { mock } = t.mock.method(process.stderr, 'write', (text: string) => printed.push(text) > 0);
  await action();
  mock.restore();
  return printed.join('');
}
