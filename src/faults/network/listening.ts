import { readFile } from 'node:fs/promises';

/**
 * TCP ports of the network of a process that are listened on at more than the loopback, ascending, by /proc/<pid>/net/tcp and tcp6;
 * none where the process has ended.
 */
export async function listeningPorts(pid: number): Promise<readonly number[]> {
  const texts = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8').catch(() => '')),
  );
  return [...new Set(texts.flatMap(parseListening))].sort((a, b) => a - b);
}

/** Local ports in state 0A (LISTEN), but those of the loopback. Pure. */
function parseListening(text: string): number[] {
  return [...text.matchAll(/^\s*\d+: ([0-9A-F]+):([0-9A-F]{4}) \S+ 0A /gm)]
    .filter(([, address = '']) => !/^(0100007F|0{24}01000000)$/.test(address))
    .map(([, , port = '']) => Number.parseInt(port, 16));
}

/**
 * How many connections to these local ports are open in the network of a process, but those from the same machine. By
 * /proc/<pid>/net/tcp and tcp6; 0 where the process has ended.
 */
export async function openConnections(pid: number | 'self', ports: readonly number[]): Promise<number> {
  const texts = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8').catch(() => '')),
  );
  return texts.reduce((sum, text) => sum + countOpen(text, ports), 0);
}

/** Entries in state 01 (ESTABLISHED) at these local ports, whose other end has another address. Pure. */
export function countOpen(text: string, ports: readonly number[]): number {
  const entries = text.matchAll(/^\s*\d+: ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]+):[0-9A-F]{4} 01 /gm);
  return [...entries].filter(
    ([, local, port = '', remote]) => local !== remote && ports.includes(Number.parseInt(port, 16)),
  ).length;
}
