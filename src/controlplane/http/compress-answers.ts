import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

const compressed = promisify(gzip);

/** Shorter answers are a packet or two as they are. */
const LEAST_CHARACTERS = 2_048;

/** Compresses long answers in JSON for those who take gzip: lists of runs say the same names again and again. */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const isLong = typeof payload === 'string' && payload.length >= LEAST_CHARACTERS;
    if (!isLong || !/\bjson\b/.test(String(reply.getHeader('content-type') ?? ''))) return payload;
    const vary = reply.getHeader('vary');
    reply.header('vary', vary === undefined ? 'accept-encoding' : `${vary}, accept-encoding`);
    if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return payload;
    reply.header('content-encoding', 'gzip').removeHeader('content-length');
    return compressed(payload);
  });
}
