/** A server that speaks CloudWatch's query protocol as far as the exporter uses it, and believes no signature. */
import { createHash, createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type SeenRequest, startTestServer, type TestServer } from '@turnsole/kube/testing/http-server';

/** The secret of each key, and the token that has to come with a lent one. */
type KnownKeys = Readonly<Record<string, { readonly secret: string; readonly token?: string }>>;

/** A metric as it has arrived. */
export interface StoredDatum {
  readonly name: string;
  readonly value: number;
  readonly unit: string | null;
  /** `ClusterName=…,Service=…`. */
  readonly dimensions: string;
}

export interface CloudWatchServer extends AsyncDisposable {
  readonly url: string;
  /** The stored data, request by request. */
  readonly stored: {
    readonly namespace: string | null;
    readonly key: string;
    readonly data: readonly StoredDatum[];
  }[];
  /** Refusals that were answered, by their codes. */
  readonly refused: string[];
  /** Set by a test: answers every request with this refusal. */
  refusal: { readonly status: number; readonly code: string; readonly message: string } | undefined;
}

interface CloudWatchOptions {
  readonly region: string;
  readonly keys: KnownKeys;
  /** Answers requests that are for no metrics, such as those for keys; false: not its own. */
  readonly others?: (request: SeenRequest, response: ServerResponse) => boolean;
}

/** Starts it on a free port. */
export async function startCloudWatch({
  region,
  keys,
  others,
}: CloudWatchOptions): Promise<CloudWatchServer> {
  const stored: CloudWatchServer['stored'] = [];
  const refused: string[] = [];
  const server: TestServer = await startTestServer((request, response) => {
    if (others?.(request, response) === true) return;
    const problem = cloudWatch.refusal ?? problemOf(request, region, keys);
    if (problem === undefined) {
      const form = new URLSearchParams(request.body);
      stored.push({
        namespace: form.get('Namespace'),
        key: credentialOf(request)[0] ?? '',
        data: dataOf(form),
      });
      response.end('<PutMetricDataResponse><ResponseMetadata/></PutMetricDataResponse>');
      return;
    }
    refused.push(problem.code);
    response.statusCode = problem.status;
    const { code, message } = problem;
    response.end(
      `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
    );
  });
  const cloudWatch: CloudWatchServer = {
    url: server.url,
    stored,
    refused,
    refusal: undefined,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return cloudWatch;
}

function dataOf(form: URLSearchParams): StoredDatum[] {
  const data: StoredDatum[] = [];
  for (let at = 1; form.has(`MetricData.member.${at}.MetricName`); at += 1) {
    const read = (field: string): string | null => form.get(`MetricData.member.${at}.${field}`);
    const dimensions = [1, 2].map(
      (place) => `${read(`Dimensions.member.${place}.Name`)}=${read(`Dimensions.member.${place}.Value`)}`,
    );
    data.push({
      name: read('MetricName') ?? '',
      value: Number(read('Value')),
      unit: read('Unit'),
      dimensions: dimensions.join(','),
    });
  }
  return data;
}

/** What the service would say against a request; undefined when it takes it. */
function problemOf(request: SeenRequest, region: string, keys: KnownKeys): CloudWatchServer['refusal'] {
  const form = new URLSearchParams(request.body);
  if (form.get('Action') !== 'PutMetricData' || form.get('Version') !== '2010-08-01')
    return { status: 400, code: 'InvalidAction', message: 'no such action' };
  const [key = '', day = '', of = '', service = ''] = credentialOf(request);
  const known = keys[key];
  if (known === undefined || request.headers['x-amz-security-token'] !== known.token)
    return { status: 403, code: 'InvalidClientTokenId', message: 'The security token is invalid' };
  const expected = signatureOf(request, known.secret, [day, region, 'monitoring']);
  if (of === region && service === 'monitoring' && part(request, 'Signature') === expected) return undefined;
  return { status: 403, code: 'SignatureDoesNotMatch', message: `${day} ${of} ${service}` };
}

function part({ headers }: SeenRequest, name: string): string {
  return new RegExp(`${name}=([^,\\s]+)`).exec(headers.authorization ?? '')?.[1] ?? '';
}

function credentialOf(request: SeenRequest): string[] {
  return part(request, 'Credential').split('/');
}

/** Signature version 4, as the service itself reckons it. */
function signatureOf(request: SeenRequest, secret: string, scope: readonly string[]): string {
  const names = part(request, 'SignedHeaders').split(';');
  const hashed = (text: string): string => createHash('sha256').update(text).digest('hex');
  const canonical = [
    request.method,
    request.url,
    '',
    ...names.map((name) => `${name}:${request.headers[name]}`),
    '',
    names.join(';'),
    hashed(request.body),
  ].join('\n');
  const terms = [...scope, 'aws4_request'];
  const time = request.headers['x-amz-date'];
  const text = ['AWS4-HMAC-SHA256', time, terms.join('/'), hashed(canonical)].join('\n');
  const step = (key: string | Buffer, value: string): Buffer =>
    createHmac('sha256', key).update(value).digest();
  const key = terms.reduce<string | Buffer>(step, `AWS4${secret}`);
  return createHmac('sha256', key).update(text).digest('hex');
}
