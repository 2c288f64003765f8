/** An API server alone in a process of its own; tells its parent where it listens, and how it does when asked. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { checkStore } from '@turnsole/cluster/store/testing/self-check';

const [dataDir = ''] = process.argv.slice(2);
const api = createApiServer({ dataDir });
await api.listen();
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
process.on('message', () => {
  process.send?.({
    rssBytes: process.memoryUsage.rss(),
    worstDelayMs: delay.max / 1e6,
    watches: api.store.watcherCount,
    problems: checkStore(api.store),
    // Whatever a request might have added to all objects shows here.
    polluted: Object.keys(Object.prototype).concat(Object.keys(Array.prototype)),
  });
  delay.reset();
});
process.on('disconnect', () => process.exit(0));
process.send?.({ token: api.adminToken, socketPath: api.adminConfig.socketPath });
