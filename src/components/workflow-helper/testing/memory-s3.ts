import type { Answer } from '@turnsole/kube/testing/http-server';

/** Answers as an S3 server does, for one bucket in memory. Pages of lists have two keys, so that they are followed. */
export function memoryS3(bucket: string, objects: Map<string, string>): Answer {
  return ({ method, url, body }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://s3');
    const [, first = '', ...rest] = pathname.split('/').map(decodeURIComponent);
    const key = rest.join('/');
    const refuse = (status: number, code: string): void => {
      response.writeHead(status).end(`<Error><Code>${code}</Code><Message>no ${key}</Message></Error>`);
    };
    if (first !== bucket) return refuse(404, 'NoSuchBucket');
    if (method === 'PUT') {
      objects.set(key, body);
      response.end();
    } else if (method === 'DELETE') {
      objects.delete(key);
      response.writeHead(204).end();
    } else if (key === '') {
      const prefix = searchParams.get('prefix') ?? '';
      const after = searchParams.get('continuation-token') ?? '';
      const keys = [...objects.keys()].toSorted().filter((one) => one.startsWith(prefix) && one > after);
      const page = keys.slice(0, 2);
      const next =
        keys.length > 2 ? `<NextContinuationToken>${escaped(page[1])}</NextContinuationToken>` : '';
      const entries = page.map((one) => `<Contents><Key>${escaped(one)}</Key></Contents>`).join('');
      response.end(`<ListBucketResult>${entries}${next}</ListBucketResult>`);
    } else if (objects.has(key)) response.end(objects.get(key));
    else refuse(404, 'NoSuchKey');
  };
}

function escaped(text = ''): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
