const SHOWN = 300;
const TIMEOUT_MS = 20_000;

/** A server's refusal of a request. */
class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/**
 * Sends a request to a service of Amazon and gives the text of its answer.
 *
 * @throws RefusedError with the service's own words · Error of the network, or after 20 seconds
 */
export async function ask(
  what: string,
  url: string,
  request: RequestInit,
  signal: AbortSignal,
): Promise<string> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const { origin } = new URL(url);
  // Another host would need another signature, and must not see keys that are meant for this one.
  const answered = fetch(url, { ...request, redirect: 'manual', signal: limit });
  const { status, text } = await answered.then(
    async (response) => ({ status: response.status, text: await response.text() }),
    (cause: unknown) => {
      throw new Error(`${what}: cannot reach ${origin}: ${reasonOf(cause)}`, { cause });
    },
  );
  if (status >= 200 && status < 300) return text;
  const [code, message] = ['Code', 'Message'].map((name) => elementOf(text, name));
  const words = code === undefined ? text : `${code}: ${message ?? ''}`;
  throw new RefusedError(`${what}: ${origin} answers ${status}: ${words.trim().slice(0, SHOWN)}`);
}

/** The first element of this name in XML, without what it may hold but text; enough for answers whose form is known. Pure. */
export function elementOf(xml: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
}

/** What `fetch` says of the network stands in the cause of its error. */
function reasonOf(error: unknown): string {
  const { cause } = Object(error) as { readonly cause?: unknown };
  const named = cause instanceof Error ? cause : error;
  return named instanceof Error ? named.message : String(named);
}
