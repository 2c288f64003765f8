/** The load of a loadProbe, which `turnsole load` takes as well. */
import { fields, list, number, optional, text, textMap, whole } from './build.ts';
import { insecureSkipVerify, tlsConfigSchema } from './tls.ts';

/** One request of a load. */
const loadRequestSchema = fields('A request, and the answer that is expected to it.', {
  url: text(
    'URL of the request, http or https. It may hold templates, which are replaced by the output of passed cmdProbes when the load begins: {{ .<probe name>.ProbeArtifacts.Register }}.',
    { minLength: 1 },
  ),
  method: optional(text('GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS. Default: GET.')),
  headers: optional(textMap('Headers of the request. Default: only those that HTTP demands.')),
  body: optional(text('Body of the request. Absent: none.')),
  weight: optional(
    whole(
      'How often it is sent, compared with the other requests: from 1 to 1000. Default: 1, so that all take turns.',
    ),
  ),
  criteria: optional(
    text(
      'How the status of the answer is compared with responseCode: >=, <=, >, <, ==, !=, oneOf, between. Default: between, where responseCode is absent, else ==.',
    ),
  ),
  responseCode: optional(
    text(
      'Expected status of the answer; for oneOf and between a list with commas. Redirects are not followed. Default: 200,399.',
    ),
  ),
});

/** Inputs of a loadProbe. */
export const loadProbeInputsSchema = fields(
  'Which requests a loadProbe sends, and how many of them per second. It sends on schedule, however long the answers take.',
  {
    rate: number('Requests per second, of all requests together: more than 0, at most 10000.'),
    ramp: optional(
      text('Time in which the rate rises evenly from 0 to the whole rate, as a duration. Default: none.'),
    ),
    requests: list('The requests: from 1 to 100.', loadRequestSchema, { minItems: 1 }),
    connections: optional(
      whole(
        'Size of a pool of connections that stay open and that all requests share: at most 1000. Absent or 0: each request has a connection of its own, as independent users have.',
      ),
    ),
    concurrency: optional(
      whole(
        'Requests under way at a time, at most: from 1 to 10000. A request that is due while so many are under way is not sent, and counted as such. Absent: connections; without a pool as many as can be under way within probeTimeout, at most 2000.',
      ),
    ),
    insecureSkipVerify,
    tlsConfig: optional(tlsConfigSchema),
  },
);
