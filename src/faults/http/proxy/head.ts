/** A header as it stands in the message. */
type HeaderLine = readonly [name: string, value: string];

/** Start line and headers of an HTTP/1 message (RFC 9112). */
export interface Head {
  /** Without line end: `GET / HTTP/1.1`, `HTTP/1.1 200 OK`. */
  readonly startLine: string;
  readonly headers: readonly HeaderLine[];
}

/** Longest head that is read as one; servers refuse far shorter ones. */
export const HEAD_LIMIT_BYTES = 256 * 1024;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** Index after the empty line that ends a head, from `start`; -1 when it is not there yet. Lines end with CRLF or LF. */
export function headEnd(buffer: Buffer, start: number): number {
  for (let at = buffer.indexOf(LINE_FEED, start); at >= 0; at = buffer.indexOf(LINE_FEED, at + 1)) {
    if (buffer[at + 1] === LINE_FEED) return at + 2;
    if (buffer[at + 1] === CARRIAGE_RETURN && buffer[at + 2] === LINE_FEED) return at + 3;
  }
  return -1;
}

/** Reads a head with its empty line; undefined when it is none of HTTP/1. Bytes beyond ASCII are kept as they are. */
export function parseHead(raw: Buffer): Head | undefined {
  const lines = raw
    .toString('latin1')
    .replace(/^(?:\r?\n)+/, '')
    .split(/\r?\n/);
  const [startLine = '', ...rest] = lines;
  if (!/^(?:HTTP\/1\.[01] \d{3}(?: |$)|[!-~]+ \S.* HTTP\/1\.[01]$)/.test(startLine)) return undefined;
  const headers: [string, string][] = [];
  for (const line of rest) {
    if (line === '') break;
    const last = headers.at(-1);
    if (/^[ \t]/.test(line) && last !== undefined) {
      last[1] += ` ${line.trim()}`;
      continue;
    }
    const match = /^([^\s:]+):[ \t]*(.*?)[ \t]*$/.exec(line);
    if (match === null) return undefined;
    headers.push([match[1] ?? '', match[2] ?? '']);
  }
  return { startLine, headers };
}

/** The head as bytes, with its empty line. */
export function formatHead({ startLine, headers }: Head): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${startLine}\r\n${lines.join('')}\r\n`, 'latin1');
}

/** All values of a header, joined as RFC 9110 says; undefined when it is absent. */
export function headerOf({ headers }: Head, name: string): string | undefined {
  const values = headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(', ');
}

/** Status of a response. */
export function statusOf({ startLine }: Head): number {
  return Number(startLine.slice(9, 12));
}

/** Method of a request. */
export function methodOf({ startLine }: Head): string {
  return startLine.slice(0, startLine.indexOf(' '));
}

/** The head with these headers instead of whatever it had under their names; where the first one stood, or at the end. Pure. */
export function withHeaders(head: Head, set: Readonly<Record<string, string>>): Head {
  const wanted = new Map(
    Object.entries(set).map(([name, value]) => [name.toLowerCase(), [name, value] as const]),
  );
  const seen = new Set<string>();
  const headers = head.headers.flatMap((line): HeaderLine[] => {
    const key = line[0].toLowerCase();
    const replacement = wanted.get(key);
    if (replacement === undefined) return [line];
    if (seen.has(key)) return [];
    seen.add(key);
    return [replacement];
  });
  const added = [...wanted].filter(([key]) => !seen.has(key)).map(([, line]) => line);
  return { ...head, headers: [...headers, ...added] };
}

/** The head without headers of these lower-case names. Pure. */
export function withoutHeaders(head: Head, names: readonly string[]): Head {
  return { ...head, headers: head.headers.filter(([name]) => !names.includes(name.toLowerCase())) };
}
