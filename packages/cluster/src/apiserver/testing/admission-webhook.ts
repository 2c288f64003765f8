/** A real webhook over HTTPS for tests: gives the answer that a test sets, and keeps the requests. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { makeAuthority, makeServerCertificate, toPem } from '@turnsole/kube/tls/index';
import type { Json } from '../object.ts';

/** What to answer a request with; `undefined` = nothing, for ever. A text is sent as it is. */
export type Respond = (request: Json) => Json | string | undefined | Promise<Json | string | undefined>;

export interface AdmissionWebhook {
  readonly url: string;
  readonly port: number;
  /** `caBundle`: base64 of PEM. */
  readonly caBundle: string;
  /** The `request` of every review, in order. */
  readonly asked: readonly Json[];
}

const DAYS = 2;

/** Starts one that ends with the test. `names` are those of its certificate. */
export async function startAdmissionWebhook(
  t: Pick<TestContext, 'after'>,
  respond: Respond,
  names: readonly string[] = ['127.0.0.1'],
): Promise<AdmissionWebhook> {
  const options = { commonName: 'admission', now: Date.now(), lifetimeDays: DAYS };
  const authority = makeAuthority(options);
  const { certificate, privateKey } = makeServerCertificate(authority, { ...options, names });
  const asked: Json[] = [];
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const server = createServer({ key, cert: toPem('CERTIFICATE', certificate) }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const review = JSON.parse(Buffer.concat(chunks).toString());
      asked.push(review.request);
      const answer = await respond(review.request);
      if (answer === undefined) return;
      const whole = {
        ...review,
        request: undefined,
        response: { uid: review.request.uid, ...Object(answer) },
      };
      response.end(typeof answer === 'string' ? answer : JSON.stringify(whole));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // A test that does not close it must not hang on it.
  server.unref();
  // A server that listens on a port has an address.
  const { port } = server.address() as AddressInfo;
  const caBundle = Buffer.from(toPem('CERTIFICATE', authority.certificate)).toString('base64');
  return { url: `https://127.0.0.1:${port}/`, port, caBundle, asked };
}

/** An answer that lets the write pass with changes. */
export function patching(...operations: readonly Json[]): Json {
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
  return { allowed: true, patchType: 'JSONPatch', patch };
}
