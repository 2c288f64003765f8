import type { Clock } from '@turnsole/kube/base/clock';
import type { ApiServer, UpgradeRequest } from '../../apiserver/index.ts';
import type { StreamableRuntime } from './streamable-runtime.ts';
import type { StreamingServer } from './streaming-server.ts';

/**
 * Connects exec, attach and port-forward of an API server to what a runtime runs. What serves them is loaded with the
 * first client. The function it gives ends all sessions.
 */
export function connectStreaming(
  server: Pick<ApiServer, 'registerUpgrade'>,
  runtime: StreamableRuntime,
  clock: Pick<Clock, 'setTimer'>,
): () => void {
  let loading: Promise<StreamingServer> | undefined;
  let isClosed = false;
  const load = async (): Promise<StreamingServer> => {
    const module = await import('./streaming-server.ts');
    const streaming = new module.StreamingServer({ runtime, clock });
    if (isClosed) streaming.close();
    return streaming;
  };
  const serve = (kind: 'exec' | 'attach' | 'portForward') => async (request: UpgradeRequest) => {
    loading ??= load();
    const streaming = await loading;
    await streaming[kind](request);
  };
  server.registerUpgrade('exec', serve('exec'));
  server.registerUpgrade('attach', serve('attach'));
  server.registerUpgrade('portforward', serve('portForward'));
  return () => {
    isClosed = true;
    void loading?.then((streaming) => streaming.close());
  };
}
