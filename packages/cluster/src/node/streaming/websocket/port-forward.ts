import type { WebSocket } from 'ws';
import { type ForwardTarget, forward } from '../forward.ts';
import { ChannelSocket } from './channel-socket.ts';
import type { ChannelProtocol } from './protocols.ts';

/**
 * Forwards ports in channels: of the n-th port 2n carries the data and 2n+1 an error, and each begins with the port's
 * number, little endian. Closes when all connections have ended. Never rejects.
 * (kubelet, `pkg/kubelet/cri/streaming/portforward/websocket.go`)
 */
export async function forwardChannels(
  socket: WebSocket,
  protocol: ChannelProtocol,
  ports: readonly number[],
  target: ForwardTarget,
): Promise<void> {
  const channels = new ChannelSocket(socket, protocol);
  await Promise.all(
    ports.map(async (port, index) => {
      const data = 2 * index;
      const number = Buffer.alloc(2);
      number.writeUInt16LE(port);
      channels.send(data, number);
      channels.send(data + 1, number);
      const streams = { input: channels.readable(data), output: channels.writable(data) };
      const problem = await forward(port, streams, target);
      if (problem !== '') channels.send(data + 1, Buffer.from(problem));
    }),
  );
  channels.close();
}
