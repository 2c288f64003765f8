import type { FastifyBodyParser, FastifyInstance } from 'fastify';

/**
 * Reads a body as JSON. An absent one is undefined, whatever the content type says: clients set that header for all of their requests.
 *
 * @throws FastifyError (status 400) for text that is no JSON, or that names a prototype
 */
export function jsonBody(app: FastifyInstance): FastifyBodyParser<string> {
  const parse = app.getDefaultJsonParser('error', 'error');
  return (request, body, done) => {
    if (body === '') done(null, undefined);
    // It answers by `done`.
    else void parse(request, body, done);
  };
}
