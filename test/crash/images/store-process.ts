/** Uses a store as several clusters would, in an order that the seed draws, until it is killed: pulls, leases, removes, prunes. */
import { ImageError } from '@turnsole/cluster/images/errors';
import { openImageStore } from '@turnsole/cluster/images/open-image-store';
import type { ImageLease } from '@turnsole/cluster/images/types';
import { Seeded } from '../../support/seeded.ts';

const [, , directory = '', seed = '0', ...names] = process.argv;
const random = new Seeded(Number(seed));
const store = await openImageStore({ directory, platform: { os: 'linux', architecture: 'amd64' } });
const leases: ImageLease[] = [];
process.stdout.write('open\n');
for (;;) {
  const name = random.pick(names);
  const what = random.next();
  try {
    if (what < 0.5) await store.pull(name, { unpack: true });
    else if (what < 0.7) {
      const image = await store.find(name);
      if (image !== undefined) leases.push(await store.lease(image));
    } else if (what < 0.8) await leases.pop()?.release();
    else if (what < 0.9) await store.remove([name]);
    else await store.prune(random.chance(0.5) ? {} : { maxBytes: 0 });
  } catch (error) {
    // Another process may have removed it in between.
    if (!(error instanceof ImageError) || !['not-found', 'store'].includes(error.code)) throw error;
    if (error.code === 'store' && !/removed while|pull it again/.test(error.message)) throw error;
  }
}
