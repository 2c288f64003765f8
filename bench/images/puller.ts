/** Opens a store, says so, pulls an image when it is told to, and says how many milliseconds that took. */
import { openImageStore } from '@turnsole/cluster/images/open-image-store';

const [, , name = '', directory = ''] = process.argv;
const store = await openImageStore({ directory });
process.once('message', () => void pull());
process.send?.('open');

async function pull(): Promise<void> {
  const startedAt = performance.now();
  await store.pull(name, { unpack: true });
  process.send?.(performance.now() - startedAt);
  await store.close();
  process.disconnect();
}
