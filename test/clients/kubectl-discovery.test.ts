import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ClientCluster, Kubectl, kubectlMissing, startClientCluster } from './harness.ts';
import { WIDGET_DEFINITION } from './manifests.ts';

/** What kubectl asked a server in one call: it writes each request at this level. */
const TELL_REQUESTS = '-v=6';

function requestsOf(said: string): string[] {
  return [...said.matchAll(/\b(?:GET|POST|PUT|PATCH|DELETE) https:\/\/[^/]+(\/[^ ?]*)/g)].map(
    ([, path = '']) => path,
  );
}

describe('kubectl without a cache', { skip: kubectlMissing, timeout: 300_000 }, () => {
  let cluster: ClientCluster;
  let kubectl: Kubectl;
  let caches = 0;

  before(async () => {
    cluster = await startClientCluster(1, 'simulated');
    kubectl = new Kubectl(cluster, 'default');
  });
  after(() => cluster.close());

  async function requests(words: string): Promise<{ readonly paths: string[]; readonly printed: string }> {
    caches += 1;
    const cache = `--cache-dir=${cluster.folder}/cache-${caches}`;
    const { code, stdout, stderr } = await kubectl.run(`${words} ${TELL_REQUESTS} ${cache}`);
    assert.equal(code, 0, stderr);
    return { paths: requestsOf(stderr), printed: stdout };
  }

  it('finds out in two requests what is served', async () => {
    await kubectl.ok('apply -f -', [], { input: WIDGET_DEFINITION });
    const { paths, printed } = await requests('api-resources');
    assert.deepEqual(paths.sort(), ['/api', '/apis']);
    assert.match(printed, /^widgets\s+wg\s+shop\.example\.com\/v1\s+true\s+Widget$/m);
    assert.match(printed, /^chaosengines\s/m);
    assert.deepEqual(printed, await kubectl.ok('api-resources'));
  });

  it('reads objects in one more', async () => {
    for (const words of ['get deploy', 'get chaosengines,po', 'get widgets']) {
      const { paths } = await requests(words);
      const [, names = ''] = words.split(' ');
      assert.deepEqual(paths.slice(0, 2).sort(), ['/api', '/apis'], words);
      assert.equal(paths.length, 2 + names.split(',').length, `${words}: ${paths.join(' ')}`);
    }
  });
});
