import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { PACKAGE_ROOT } from '../../../process/package-root.ts';
import { HubFolder } from './hub-folder.ts';
import { hubTotals, readCharts, readExperiments, readFault, readIcon } from './read-hub.ts';

async function opened(path: string): Promise<HubFolder> {
  const hub = await HubFolder.open(path);
  assert.ok(hub);
  return hub;
}

describe('the hub of the package', () => {
  it('has every fault in a category, and experiments', async () => {
    const hub = await opened(join(PACKAGE_ROOT, 'deploy', 'hub'));
    const charts = await readCharts(hub);
    const experiments = await readExperiments(hub);
    const faults = charts.flatMap(({ spec }) => spec.faults);
    assert.deepEqual(await hubTotals(hub), { faults: faults.length, experiments: experiments.length });
    assert.ok(faults.length >= 41 && experiments.length >= 5);
    assert.ok(charts.every(({ spec, metadata }) => spec.displayName !== '' && metadata.version !== ''));
    assert.ok(faults.every(({ description }) => description !== ''));
    const [first] = await readExperiments(hub, ['pods-die']);
    assert.match(first?.experimentManifest ?? '', /kind: Workflow/);
    assert.match((await readFault(hub, 'kubernetes', 'pod-delete'))?.engine ?? '', /kind: ChaosEngine/);
    for (const name of ['pod-delete.png', 'pod-delete.svg', 'pod-delete', 'kubernetes.png'])
      assert.equal((await readIcon(hub, 'kubernetes', name))?.type, 'image/svg+xml', name);
    assert.equal((await readIcon(hub, 'predefined', 'pods-die.png'))?.type, 'image/svg+xml');
  });
});

describe('a hub of somebody else', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'turnsole-hub-'));
    const files = {
      'secret.yaml': 'secret',
      'hub/faults/k/a/fault.yaml': 'kind: ChaosExperiment',
      'hub/faults/k/b/engine.yaml': 'x'.repeat(1024 * 1024 + 1),
      'hub/faults/k/icons/a.png': 'PNG',
      'hub/faults/.git/x/fault.yaml': 'x',
      'hub/experiments/none/readme.yaml': 'x',
    };
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
    }
    await symlink(join(root, 'secret.yaml'), join(root, 'hub/faults/k/a/engine.yaml'));
    await symlink(root, join(root, 'hub/faults/outside'));
    await mkdir(join(root, 'hub/faults/k/a/a.chartserviceversion.yaml'));
  });
  after(() => rm(root, { recursive: true, force: true }));

  it('gives what is inside of it, and nothing that a link or a large file would give', async () => {
    const hub = await opened(join(root, 'hub'));
    assert.deepEqual(await readFault(hub, 'k', 'a'), { fault: 'kind: ChaosExperiment', engine: '', csv: '' });
    assert.equal(await readFault(hub, 'k', 'b'), undefined);
    assert.deepEqual(await hub.folders('faults'), ['k']);
    assert.deepEqual(await hubTotals(hub), { faults: 2, experiments: 1 });
    assert.deepEqual(await readExperiments(hub), []);
    assert.equal((await readIcon(hub, 'k', 'a.png'))?.type, 'image/png');
  });

  it('gives nothing for names that are paths', async () => {
    const hub = await opened(join(root, 'hub'));
    for (const name of ['..', '../..', '/etc', 'k/../../..', '.git', '', 'a\0', 'outside', '%2e%2e']) {
      assert.equal(await readFault(hub, name, 'a'), undefined, name);
      assert.equal(await readFault(hub, 'k', name), undefined, name);
      assert.deepEqual(await readExperiments(hub, [name]), [], name);
      assert.equal(await readIcon(hub, name, 'secret.yaml'), undefined, name);
      assert.equal(await readIcon(hub, 'k', name), undefined, name);
    }
  });

  it('may be missing', async () => assert.equal(await HubFolder.open(join(root, 'none')), undefined));
});
