import type { InjectionEffect } from '../../api/index.ts';
import type { InterceptCount, InterceptParameters, Service } from './config.ts';

/** The counts of an interceptor, and the ports that listen in the pod. */
interface InterceptFindings {
  readonly count: InterceptCount;
  /** TCP ports that processes of the pod listen on. */
  readonly listening: readonly number[];
  /** Connections that were open when it began. */
  readonly former: number;
}

/** The effect by these counts; everything that could be hit passes the interceptor or is rejected, and both are counted. Pure. */
export function interceptEffect(
  { redirect, service, open }: InterceptParameters,
  { count, listening, former }: InterceptFindings,
): InjectionEffect {
  const { arrived, requests, hits, rejected, held } = count;
  if (service.kind === 'dns') return dnsEffect(count);
  const place = redirect.ports.length === 1 ? `port ${redirect.ports[0]}` : 'its ports';
  const left =
    open.kind === 'keep' && former > 0
      ? `; ${counted(former, 'connection')} from before ${former === 1 ? 'was' : 'were'} left alone (OPEN_CONNECTIONS)`
      : '';
  const before = [
    ...(held > 0 ? [`answers on connections from before to ${place} were held back ${held} times`] : []),
    ...(rejected > 0 ? [`connections from before to ${place} were reset`] : []),
  ];
  if (hits > 0) {
    const of = requests === 0 ? counted(arrived, 'connection') : counted(requests, 'request');
    const message = [`${hits} hits in ${of} to ${place}`, ...before].join('; ');
    return { seen: true, message: `${message}${left}` };
  }
  if (before.length > 0) return { seen: true, message: before.join('; ') };
  if (arrived === 0) {
    const what = left === '' ? 'no connection' : 'no new connection';
    return none(`${what} came to ${place}${left}${whoListens(redirect.ports, listening)}`);
  }
  if (requests === 0) {
    return none(
      `${counted(arrived, 'connection')} came to ${place}, and nothing on them could be hit: they carried no HTTP/1 request`,
    );
  }
  if (service.kind === 'http' && service.toxicity < 100) {
    return none(
      `${counted(requests, 'request')} came to ${place}, and none was hit (TOXICITY ${service.toxicity})`,
    );
  }
  return none(
    `${counted(requests, 'request')} came to ${place}, and none was answered${whoListens(redirect.ports, listening)}`,
  );
}

/** What becomes of connections that are open when a redirection begins, in words; undefined without any. Pure. */
export function describeFormer(
  former: number,
  { redirect, open }: Pick<InterceptParameters, 'redirect' | 'open'>,
): string | undefined {
  if (former === 0) return undefined;
  const what = `${counted(former, 'connection')} to port ${redirect.ports.join(', ')} ${former === 1 ? 'is' : 'are'} open`;
  switch (open.kind) {
    case 'reset':
      return `${what}: reset with the next data that comes, so that clients open new ones, which are hit`;
    case 'keep':
      return `${what}: left alone, so that nothing on them is hit`;
    case 'delay': {
      const leastMs = Math.max(open.delayMs, FIRST_RESEND_MS);
      return `${what}: answers on them are held back until TCP sends them again after ${leastMs} ms, which is less than twice as long`;
    }
  }
}

/** TCP sends again what got no answer after this time at the earliest. */
const FIRST_RESEND_MS = 200;

/** Why a service would change no traffic at all; undefined when it would. Pure. */
export function idleReason(service: Service): string | undefined {
  if (service.kind === 'dns') {
    const { rule } = service;
    if (rule.kind !== 'spoof') return undefined;
    const names = Object.entries(rule.names);
    if (names.length === 0) return 'SPOOF_MAP is empty, so that no name is given another address';
    return names.every(([name, other]) => bare(name) === bare(other))
      ? 'SPOOF_MAP gives each name its own address'
      : undefined;
  }
  if (service.kind === 'tcp') return undefined;
  if (service.toxicity === 0) return 'TOXICITY is 0, so that no request is hit';
  if (service.fault.kind === 'none') return 'RESPONSE_BODY is empty, so that nothing is changed';
  if (service.fault.kind === 'header' && Object.keys(service.fault.headers).length === 0) {
    return 'HEADERS_MAP is empty, so that nothing is changed';
  }
  return undefined;
}

/** As names are compared: in small letters, without the dot of the root. */
function bare(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/** `; no process listens there, but on 8000 (set TARGET_SERVICE_PORT)`; empty where one does. Pure. */
export function whoListens(ports: readonly number[], listening: readonly number[]): string {
  if (ports.some((port) => listening.includes(port))) return '';
  if (listening.length === 0) return '; no process in the pod listens on any port';
  return `; no process in the pod listens there, but on ${listening.join(', ')}: set TARGET_SERVICE_PORT to the port that is meant`;
}

function dnsEffect({ arrived, hits, rejected, others }: InterceptCount): InjectionEffect {
  if (hits > 0)
    return { seen: true, message: `${hits} of ${counted(arrived, 'question')} for names were hit` };
  if (rejected > 0) return { seen: true, message: 'questions from sockets from before were rejected' };
  if (arrived === 0) return none('no name was asked for');
  return none(
    `${counted(arrived, 'question')} for names, and none for one that is hit; asked for were, among others, ${others.join(', ')}`,
  );
}

function none(message: string): InjectionEffect {
  return { seen: false, message };
}

function counted(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
