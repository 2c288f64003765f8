/** Asks one registry, or a mirror of it, for the content of one repository (OCI Distribution Specification, "Pull"). */
import type { IncomingMessage } from 'node:http';
import { backoffDelayMs } from '@turnsole/kube/base/backoff';
import type { Clock, Random } from '@turnsole/kube/base/clock';
import { ImageError } from '../errors.ts';
import { type Descriptor, LARGEST_DOCUMENT } from '../manifest/descriptor.ts';
import { DOCKER_LIST, DOCKER_MANIFEST, OCI_INDEX, OCI_MANIFEST } from '../manifest/manifest.ts';
import type { RegistryCredentials } from '../types.ts';
import {
  answerError,
  BACKOFF,
  connectionError,
  isLastingError,
  isPassing,
  MOST_TRIES,
  type Question,
  retryAfterMs,
} from './answers.ts';
import { Authorizer } from './authorizer.ts';
import { type Challenge, parseChallenge } from './challenge.ts';
import { type Endpoint, isLoopback } from './endpoints.ts';
import type { HttpSender } from './http.ts';

interface RepositoryOptions {
  readonly endpoint: Endpoint;
  readonly registry: string;
  readonly repository: string;
  readonly sender: HttpSender;
  /** All that may be tried, in order, found when the registry asks who wants it. */
  readonly credentials: () => Promise<readonly RegistryCredentials[]>;
  readonly clock: Clock;
  readonly random: Random;
  /** Hears of tries that are made again. */
  readonly onNote: (sentence: string) => void;
}

interface Asked {
  readonly path: string;
  readonly what: string;
  readonly method?: 'GET' | 'HEAD';
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

const MANIFESTS = [OCI_INDEX, OCI_MANIFEST, DOCKER_LIST, DOCKER_MANIFEST].join(', ');
const LONGEST_REFUSAL = 64 * 1024;

export class RepositoryClient {
  readonly #options: RepositoryOptions;
  readonly #authorizer: Authorizer;
  /** Schemes that are still to be tried; the first is the one in use. */
  #schemes: readonly ('https' | 'http')[];
  #authorization: string | undefined;
  /** Whether the registry has taken it: when it refuses it later, it has expired. */
  #hasWorked = false;
  #challenge: Challenge | undefined;
  /** What is left to try, the one in use first. Undefined until the registry has asked. */
  #candidates: readonly (RegistryCredentials | undefined)[] | undefined;
  #authorizing: Promise<boolean> | undefined;

  constructor(options: RepositoryOptions) {
    this.#options = options;
    const { endpoint, sender, registry, repository } = options;
    this.#schemes = endpoint.schemes;
    this.#authorizer = new Authorizer({
      ...{ sender, registry, repository, checksCertificate: endpoint.checksCertificate },
      isPrivate: () => this.#schemes[0] === 'https' || isLoopback(endpoint.host),
    });
  }

  /** The digest that a tag or digest stands for; undefined when the registry does not say. @throws ImageError */
  async digestOf(reference: string, what: string, signal?: AbortSignal): Promise<string | undefined> {
    const answer = await this.#ask({
      path: `manifests/${reference}`,
      what,
      method: 'HEAD',
      headers: { accept: MANIFESTS },
      signal,
    });
    answer.resume();
    const digest = answer.headers['docker-content-digest'];
    return typeof digest === 'string' ? digest : undefined;
  }

  /** A manifest or an index by its tag or digest, with its media type. @throws ImageError */
  async manifest(
    reference: string,
    what: string,
    signal?: AbortSignal,
  ): Promise<{ readonly bytes: Buffer; readonly mediaType: string }> {
    return await this.#tries(what, signal, async () => {
      const answer = await this.#ask({
        path: `manifests/${reference}`,
        what,
        headers: { accept: MANIFESTS },
        signal,
      });
      const bytes = await readAll(answer, LARGEST_DOCUMENT);
      if (bytes === undefined) {
        throw new ImageError(
          'wrong-content',
          `the manifest of ${what} is larger than ${LARGEST_DOCUMENT} bytes`,
        );
      }
      return {
        bytes,
        mediaType:
          String(answer.headers['content-type'] ?? '')
            .split(';')[0]
            ?.trim() ?? '',
      };
    });
  }

  /** The content of a blob from a byte on. A connection that breaks is made again from where it broke, as long as something comes. @throws ImageError */
  async *blob(
    { digest, size }: Descriptor,
    offset: number,
    what: string,
    signal?: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    let position = offset;
    for (let failures = 0; position < size; ) {
      try {
        for await (const piece of await this.#range(digest, position, what, signal)) {
          position += piece.length;
          failures = 0;
          yield piece;
        }
        if (position < size) throw new Error(`the connection ended after ${position} of ${size} bytes`);
      } catch (error) {
        if (error instanceof ImageError || signal?.aborted === true) throw error;
        failures += 1;
        const broken = connectionError(error, this.#question(what));
        if (failures >= MOST_TRIES) throw broken;
        await this.#pause(failures, broken.message, signal);
      }
    }
  }

  async #range(
    digest: string,
    position: number,
    what: string,
    signal?: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const headers: Record<string, string> = position === 0 ? {} : { range: `bytes=${position}-` };
    const answer = await this.#ask({ path: `blobs/${digest}`, what, headers, signal });
    // One that does not know ranges sends all of it.
    return answer.statusCode === 206 || position === 0 ? answer : skipped(answer, position);
  }

  /** Resolves with an answer 200 or 206. */
  async #ask(asked: Asked): Promise<IncomingMessage> {
    const { what, signal } = asked;
    return await this.#tries(what, signal, async (failures) => {
      for (;;) {
        const authorization = this.#authorization;
        const answer = await this.#send(asked);
        const { statusCode: status = 0 } = answer;
        if (status === 200 || status === 206) {
          this.#hasWorked = true;
          return answer;
        }
        const body = (await readAll(answer, LONGEST_REFUSAL))?.toString() ?? '';
        if ((status === 401 || status === 403) && (await this.#authorize(answer, authorization, signal)))
          continue;
        const error = answerError(status, body, this.#question(what));
        if (!isPassing(status)) throw error;
        const wanted = retryAfterMs(answer.headers['retry-after'], this.#options.clock.now());
        if (failures + 1 >= MOST_TRIES || wanted === Number.POSITIVE_INFINITY) throw error;
        throw new PassingError(error, wanted);
      }
    });
  }

  /** Does something again that fails for a reason that may pass. */
  async #tries<T>(
    what: string,
    signal: AbortSignal | undefined,
    work: (failures: number) => Promise<T>,
  ): Promise<T> {
    for (let failures = 0; ; ) {
      try {
        return await work(failures);
      } catch (error) {
        if (error instanceof ImageError || signal?.aborted === true) throw error;
        failures += 1;
        const isPass = error instanceof PassingError;
        const failure = isPass ? error.failure : connectionError(error, this.#question(what));
        if (failures >= MOST_TRIES || (!isPass && isLastingError(error))) throw failure;
        await this.#pause(failures, failure.message, signal, isPass ? error.waitMs : undefined);
      }
    }
  }

  async #pause(
    failures: number,
    message: string,
    signal: AbortSignal | undefined,
    wantedMs?: number,
  ): Promise<void> {
    const { clock, random, onNote } = this.#options;
    const waitMs = wantedMs ?? backoffDelayMs(failures, BACKOFF, random);
    onNote(`${message}; it is tried again in ${Math.ceil(waitMs / 1_000)} s`);
    await clock.sleep(waitMs, signal);
  }

  async #send({ path, method = 'GET', headers = {}, signal }: Asked): Promise<IncomingMessage> {
    const { endpoint, repository, sender } = this.#options;
    const { host, prefix, checksCertificate } = endpoint;
    for (;;) {
      const schemes = this.#schemes;
      const url = new URL(`${schemes[0]}://${host}${prefix}/v2/${repository}/${path}`);
      const authorization = this.#authorization;
      const all = { ...headers, ...(authorization !== undefined && { authorization }) };
      try {
        return await sender.send({ url, method, headers: all, checksCertificate, signal });
      } catch (error) {
        const [, ...others] = schemes;
        // A server without TLS ends the connection, or says something that is none.
        if (others.length === 0 || signal?.aborted === true || !isNoTls(error)) throw error;
        if (this.#schemes === schemes) this.#schemes = others;
      }
    }
  }

  /** Gets what the next try proves itself with; false when there is nothing more to try. */
  async #authorize(
    answer: IncomingMessage,
    used: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    // Several requests at a time are refused for the same reason.
    if (this.#authorization !== used) return true;
    this.#challenge = parseChallenge(answer.headers['www-authenticate']) ?? this.#challenge;
    this.#authorizing ??= this.#nextAuthorization(signal).finally(() => {
      this.#authorizing = undefined;
    });
    return await this.#authorizing;
  }

  async #nextAuthorization(signal: AbortSignal | undefined): Promise<boolean> {
    const challenge = this.#challenge;
    if (challenge === undefined) return false;
    if (this.#candidates === undefined) {
      const found = await this.#options.credentials();
      // Token services have tokens for nobody in particular as well.
      this.#candidates = found.length === 0 ? [undefined] : found;
    } else if (!this.#hasWorked) this.#candidates = this.#candidates.slice(1);
    this.#hasWorked = false;
    while (this.#candidates.length > 0) {
      const isLast = this.#candidates.length === 1;
      const next = await this.#authorizer
        .answer(challenge, this.#candidates[0], signal)
        .catch((error: unknown) => {
          if (isLast || !(error instanceof ImageError) || error.code !== 'unauthorized') throw error;
          return undefined;
        });
      if (next !== undefined) {
        this.#authorization = next;
        return true;
      }
      this.#candidates = this.#candidates.slice(1);
    }
    return false;
  }

  #question(what: string): Question {
    const { endpoint, registry } = this.#options;
    return { what, host: endpoint.host, registry, isNamed: this.#authorization !== undefined };
  }
}

/** An answer that may be another one a little later. */
class PassingError extends Error {
  readonly failure: ImageError;
  readonly waitMs: number | undefined;

  constructor(failure: ImageError, waitMs: number | undefined) {
    super(failure.message);
    this.failure = failure;
    this.waitMs = waitMs;
  }
}

function isNoTls(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return code === 'EPROTO' || code.startsWith('ERR_SSL') || code === 'ECONNRESET' || code === 'ECONNREFUSED';
}

/** All that comes; undefined when it is more than that. */
async function readAll(answer: IncomingMessage, most: number): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > most) {
      answer.destroy();
      return undefined;
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

async function* skipped(
  answer: AsyncIterable<Uint8Array>,
  bytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let left = bytes;
  for await (const piece of answer) {
    if (left < piece.length) yield piece.subarray(left);
    left = Math.max(0, left - piece.length);
  }
}
