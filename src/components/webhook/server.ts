import type { IncomingMessage } from 'node:http';
import { readBody } from '@turnsole/kube/serve/body';
import { type HttpReply, jsonReply, textReply } from '@turnsole/kube/serve/reply';
import { type Certificate, type HttpServer, startHttpServer } from '@turnsole/kube/serve/server';
import { parseObject } from '@turnsole/kube/text/json';
import type { AdmissionRequest, AdmissionResponse } from './admission.ts';
import type { Identity } from './identity.ts';

/** Objects of our kinds are refused by the API server beyond 1.5 MiB; both states of one fit. */
const MAX_BODY_BYTES = 8 * 2 ** 20;

/** What {@link startWebhookServer} needs. */
interface WebhookServerOptions {
  /** 0 = any free one. */
  readonly port: number;
  readonly host?: string;
  readonly identity: Identity;
  readonly review: (request: AdmissionRequest) => Promise<AdmissionResponse>;
  /** Called for requests that could not be judged; the API server then follows its failure policy. */
  readonly onError: (error: unknown) => void;
  /** Called with an error of the server once it listens; it goes on listening. */
  readonly onServerError: (error: Error) => void;
}

/** Answers AdmissionReviews (admission.k8s.io/v1) at `/validate`. */
export function startWebhookServer(options: WebhookServerOptions): Promise<HttpServer> {
  const { identity, port, host, review, onError, onServerError } = options;
  return startHttpServer({
    what: 'admission reviews',
    address: { port, host },
    certificate: certificateOf(identity),
    answer: (request) => answer(request, review),
    onError,
    onServerError,
  });
}

/** What a server shows of an identity. */
export function certificateOf({ certificate, key }: Identity): Certificate {
  return { cert: certificate, key };
}

async function answer(request: IncomingMessage, review: WebhookServerOptions['review']): Promise<HttpReply> {
  if (request.method !== 'POST' || request.url?.split('?')[0] !== '/validate') {
    return textReply(404, 'only POST /validate is here\n');
  }
  const asked = readReview(await readBody(request, MAX_BODY_BYTES));
  if (asked === undefined) return textReply(400, 'expected an AdmissionReview with a request\n');
  return jsonReply(200, {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: await review(asked),
  });
}

function readReview(text: string): AdmissionRequest | undefined {
  // Judged right below.
  const { request } = (parseObject(text) ?? {}) as { request?: AdmissionRequest };
  return typeof request?.uid === 'string' && typeof request.userInfo === 'object' ? request : undefined;
}
