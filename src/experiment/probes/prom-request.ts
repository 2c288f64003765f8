import { type HttpRequest, parseHttpUrl } from './http-request.ts';

/** Longer queries are sent as a form: proxies cut long URLs off. Those over a span always are: messages name the URL, and it stays short. */
const LONGEST_URL_QUERY = 2000;

/** An instant query, or one over a span, of Prometheus' HTTP API, below whatever path the endpoint has. Pure. */
export function promRequest(
  endpoint: string,
  operation: 'query' | 'query_range',
  parameters: Readonly<Record<string, string>>,
): HttpRequest {
  const url = parseHttpUrl(endpoint);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/api/v1/${operation}`;
  const form = new URLSearchParams(parameters).toString();
  if (operation === 'query' && form.length <= LONGEST_URL_QUERY) {
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return { url, method: 'GET' };
  }
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return { url, method: 'POST', headers, body: form };
}
