import { finished } from 'node:stream/promises';
import { CHANNELS } from '@turnsole/kube/client/exec/channels';
import type { WebSocket } from 'ws';
import { errorText } from '../exec-status.ts';
import type { StreamOptions } from '../options.ts';
import { type RemoteStreams, Resizes } from '../remote-streams.ts';
import { ChannelSocket } from './channel-socket.ts';
import type { ChannelProtocol } from './protocols.ts';

/** The streams of exec and attach over WebSocket. */
export function webSocketStreams(
  socket: WebSocket,
  protocol: ChannelProtocol,
  options: StreamOptions,
  signal: AbortSignal,
): RemoteStreams {
  const channels = new ChannelSocket(socket, protocol);
  const resizes = new Resizes();
  channels.receive(CHANNELS.resize, (data) => resizes.receive(data.toString()));
  const stdout = options.stdout ? channels.writable(CHANNELS.stdout) : undefined;
  const stderr = options.stderr ? channels.writable(CHANNELS.stderr) : undefined;
  // Clients take the first message, even an empty one, for the sign that all is set up.
  const first = options.stdout ? CHANNELS.stdout : options.stderr ? CHANNELS.stderr : CHANNELS.error;
  channels.send(first, Buffer.alloc(0));
  return {
    stdin: options.stdin ? channels.readable(CHANNELS.stdin) : undefined,
    stdout,
    stderr,
    signal,
    onResize: (listener) => resizes.listen(listener),
    finish: async (status) => {
      for (const output of [stdout, stderr]) {
        if (output === undefined) continue;
        output.end();
        await finished(output, { signal }).catch(() => {});
      }
      const text = errorText(status, protocol);
      if (text !== '') channels.send(CHANNELS.error, Buffer.from(text));
      channels.close();
    },
  };
}
