import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { gzipSync } from 'node:zlib';
import { messageOf } from '@turnsole/kube/text/error-message';
import type { TraceSettings } from '../settings.ts';
import { type Answer, answerOfHttp, type Transmit } from './answer.ts';
import type { TlsFiles } from './tls-files.ts';

/** So many bytes of an answer are read. */
const MOST_BYTES = 4096;

/** OTLP over HTTP, with a connection per request: a run is one trace. */
export function httpTransmit(settings: TraceSettings, tls: TlsFiles): Transmit {
  const { url, protocol, isCompressed } = settings;
  const headers = {
    ...settings.headers,
    'content-type': protocol === 'http/json' ? 'application/json' : 'application/x-protobuf',
    ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
  };
  const send = url.protocol === 'https:' ? secureRequest : plainRequest;
  return (request, signal) => {
    const body = isCompressed ? gzipSync(request) : request;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const failed = (error: Error): void => {
      resolve({ kind: 'later', why: `cannot reach the collector: ${messageOf(error)}` });
    };
    const options = {
      method: 'POST',
      headers: { ...headers, 'content-length': body.byteLength },
      signal,
      agent: false,
    };
    const sent = send(url, { ...options, ...tls }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        if (text.length < MOST_BYTES) text += part;
      });
      response.on('error', failed);
      response.once('end', () =>
        resolve(answerOfHttp(response.statusCode ?? 0, response.headers['retry-after'], text)),
      );
    });
    sent.on('error', failed);
    sent.end(body);
    return promise;
  };
}
