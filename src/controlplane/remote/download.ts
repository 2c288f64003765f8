import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { RequestOptions } from 'node:https';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseFileUrl } from './file-url.ts';
import type { RemoteSettings } from './open-repository.ts';
import { type CheckedAddress, checkedAddress, pinnedTo } from './reach.ts';
import { RemoteError } from './remote-error.ts';

const MOST_REDIRECTS = 5;

/**
 * Downloads a zip file over HTTP. Checks each redirect like the first address, and resolves no name twice.
 *
 * @param path of the new file
 * @throws RemoteError for another content type, a file that is too large, a failed request · the signal's reason
 */
export async function downloadZip(
  url: string,
  path: string,
  settings: RemoteSettings,
  signal: AbortSignal,
): Promise<void> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(settings.timeoutMs)]);
  try {
    const answer = await followed(url, settings, limit);
    refuseUnfit(answer, settings.mostBytes);
    await pipeline(
      answer,
      atMost(settings.mostBytes),
      createWriteStream(path, { flags: 'wx', mode: 0o600 }),
      {
        signal: limit,
      },
    );
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RemoteError) throw error;
    if (limit.aborted) {
      throw new RemoteError(`the server did not send the file within ${settings.timeoutMs / 1000} seconds`);
    }
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new RemoteError(`the file could not be downloaded: ${why}`, { cause: error });
  }
}

async function followed(
  start: string,
  settings: RemoteSettings,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  let url = parseFileUrl(start);
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const address = await checkedAddress(url.hostname, settings.reach);
    const answer = await ask(url, address, signal);
    const { statusCode = 0, headers } = answer;
    if (statusCode === 200) return answer;
    answer.destroy();
    if (statusCode < 300 || statusCode >= 400 || headers.location === undefined) {
      throw new RemoteError(`the server answered with status ${statusCode}`);
    }
    const next = URL.canParse(headers.location, url.href)
      ? new URL(headers.location, url).href
      : headers.location;
    if (url.protocol === 'https:' && next.startsWith('http:')) {
      throw new RemoteError('the server redirects from https to http, which is refused');
    }
    url = parseFileUrl(next);
  }
  throw new RemoteError(`the server redirects more than ${MOST_REDIRECTS} times`);
}

async function ask(url: URL, checked: CheckedAddress, signal: AbortSignal): Promise<IncomingMessage> {
  const options: RequestOptions = {
    signal,
    agent: false,
    headers: { accept: 'application/zip' },
    lookup: pinnedTo(checked),
  };
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options, resolve);
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** With LitmusChaos' messages. */
function refuseUnfit(answer: IncomingMessage, mostBytes: number): void {
  const type = answer.headers['content-type'] ?? '';
  const length = Number(answer.headers['content-length'] ?? 0);
  const problem =
    type.split(';')[0]?.trim().toLowerCase() !== 'application/zip'
      ? `err: Invalid file type ${type}`
      : length > mostBytes
        ? tooLarge(length, mostBytes)
        : undefined;
  if (problem === undefined) return;
  answer.destroy();
  throw new RemoteError(problem);
}

function tooLarge(bytes: number, mostBytes: number): string {
  return `err: File size exceeded the threshold ${bytes}; at most ${mostBytes} bytes are taken`;
}

/** Passes at most so many bytes, whatever the declared size. */
function atMost(mostBytes: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > mostBytes) done(new RemoteError(tooLarge(bytes, mostBytes)));
      else done(null, chunk);
    },
  });
}
