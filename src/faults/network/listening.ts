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
