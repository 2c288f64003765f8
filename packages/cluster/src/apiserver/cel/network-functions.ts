/** URLs, addresses and blocks of addresses in expressions. */
import { BlockList, isIP, isIPv4 } from 'node:net';
import type { Environment } from '@marcbachmann/cel-js';

const URL_TYPE = 'kubernetes.URL';
const IP_TYPE = 'net.IP';
const CIDR_TYPE = 'net.CIDR';

/** Adds the functions `url`, `ip`, `cidr` and those of their results. */
export function addNetwork(environment: Environment): void {
  environment
    .registerType(URL_TYPE, { ctor: Location, fields: {} })
    .registerFunction(`url(string): ${URL_TYPE}`, (text: string) => new Location(text))
    .registerFunction('isURL(string): bool', (text: string) => succeeds(() => new Location(text)))
    .registerFunction(
      `${URL_TYPE}.getScheme(): string`,
      ({ url }: Location) => url?.protocol.slice(0, -1) ?? '',
    )
    .registerFunction(`${URL_TYPE}.getHost(): string`, ({ host }: Location) => host)
    .registerFunction(`${URL_TYPE}.getHostname(): string`, ({ url }: Location) =>
      (url?.hostname ?? '').replace(/^\[|\]$/g, ''),
    )
    .registerFunction(
      `${URL_TYPE}.getPort(): string`,
      ({ host }: Location) => /:(\d+)$/.exec(host)?.[1] ?? '',
    )
    .registerFunction(`${URL_TYPE}.getEscapedPath(): string`, ({ path }: Location) => path)
    .registerFunction(`${URL_TYPE}.getQuery(): map<string, list<string>>`, ({ query }: Location) => query);
  addAddresses(environment);
}

/** An absolute URL, or an absolute path. */
class Location {
  readonly url: URL | undefined;
  readonly host: string;
  readonly path: string;
  readonly query: ReadonlyMap<string, readonly string[]>;

  constructor(text: string) {
    if (!/^[a-z][a-z\d+.-]*:/i.test(text) && !text.startsWith('/')) {
      throw new TypeError(
        `URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`,
      );
    }
    this.url = text.startsWith('/') ? undefined : new URL(text);
    // With a port that is the scheme's own, too.
    this.host = /^[a-z][a-z\d+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]*)/i.exec(text)?.[1] ?? '';
    const given = /^(?:[a-z][a-z\d+.-]*:\/\/[^/?#]*)?([^?#]*)/i.exec(text)?.[1] ?? '';
    this.path = given;
    const query = new URLSearchParams(/\?([^#]*)/.exec(text)?.[1] ?? '');
    this.query = new Map([...new Set(query.keys())].map((key) => [key, query.getAll(key)]));
  }
}

class Address {
  readonly text: string;

  constructor(text: string) {
    if (isIP(text) === 0)
      throw new TypeError(`IP Address ${JSON.stringify(text)} parse error during conversion from string`);
    this.text = text;
  }

  get family(): 'ipv4' | 'ipv6' {
    return isIPv4(this.text) ? 'ipv4' : 'ipv6';
  }

  /** As Go writes it. */
  get canonical(): string {
    return this.family === 'ipv4' ? this.text : new URL(`http://[${this.text}]`).hostname.slice(1, -1);
  }

  isIn(...blocks: readonly string[]): boolean {
    return blocks.some((block) => new Block(block).holds(this));
  }
}

class Block {
  readonly address: Address;
  readonly prefix: number;
  readonly #list = new BlockList();

  constructor(text: string) {
    const [address = '', prefix = ''] = text.split('/');
    this.address = new Address(address);
    this.prefix = /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
    const { family } = this.address;
    if (!(this.prefix <= (family === 'ipv4' ? 32 : 128))) {
      throw new TypeError(
        `network address parse error during conversion from string: ${JSON.stringify(text)}`,
      );
    }
    this.#list.addSubnet(address, this.prefix, family);
  }

  holds({ text, family }: Address): boolean {
    return family === this.address.family && this.#list.check(text, family);
  }
}

/** Type of the constant `ip`, which stands in front of a function's name in `ip.isCanonical(text)`. */
class Addresses {}

function addAddresses(environment: Environment): void {
  environment
    .registerType(IP_TYPE, { ctor: Address, fields: {} })
    .registerType(CIDR_TYPE, { ctor: Block, fields: {} })
    .registerType('kubernetes.Addresses', { ctor: Addresses, fields: {} })
    .registerConstant('ip', 'kubernetes.Addresses', new Addresses())
    .registerFunction(
      'kubernetes.Addresses.isCanonical(string): bool',
      (_ip: Addresses, text: string) => new Address(text).canonical === text,
    )
    .registerFunction(`ip(string): ${IP_TYPE}`, (text: string) => new Address(text))
    .registerFunction('isIP(string): bool', (text: string) => isIP(text) !== 0)
    .registerOperator(`${IP_TYPE} == ${IP_TYPE}`, (a: Address, b: Address) => a.canonical === b.canonical)
    .registerFunction(`string(${IP_TYPE}): string`, (address: Address) => address.canonical)
    .registerFunction(`${IP_TYPE}.family(): int`, ({ family }: Address) => (family === 'ipv4' ? 4n : 6n))
    .registerFunction(`${IP_TYPE}.isUnspecified(): bool`, ({ canonical }: Address) =>
      ['0.0.0.0', '::'].includes(canonical),
    )
    .registerFunction(`${IP_TYPE}.isLoopback(): bool`, (a: Address) => a.isIn('127.0.0.0/8', '::1/128'))
    .registerFunction(`${IP_TYPE}.isLinkLocalMulticast(): bool`, (a: Address) =>
      a.isIn('224.0.0.0/24', 'ff02::/16'),
    )
    .registerFunction(`${IP_TYPE}.isLinkLocalUnicast(): bool`, (a: Address) =>
      a.isIn('169.254.0.0/16', 'fe80::/10'),
    )
    .registerFunction(
      `${IP_TYPE}.isGlobalUnicast(): bool`,
      (a: Address) =>
        !a.isIn('0.0.0.0/32', '255.255.255.255/32', '127.0.0.0/8', '224.0.0.0/4', '169.254.0.0/16') &&
        !a.isIn('::/128', '::1/128', 'ff00::/8', 'fe80::/10'),
    )
    .registerFunction(`cidr(string): ${CIDR_TYPE}`, (text: string) => new Block(text))
    .registerFunction('isCIDR(string): bool', (text: string) => succeeds(() => new Block(text)))
    .registerFunction(`${CIDR_TYPE}.containsIP(${IP_TYPE}): bool`, (b: Block, a: Address) => b.holds(a))
    .registerFunction(`${CIDR_TYPE}.containsIP(string): bool`, (b: Block, text: string) =>
      b.holds(new Address(text)),
    )
    .registerFunction(`${CIDR_TYPE}.containsCIDR(${CIDR_TYPE}): bool`, contains)
    .registerFunction(`${CIDR_TYPE}.containsCIDR(string): bool`, (b: Block, text: string) =>
      contains(b, new Block(text)),
    )
    .registerFunction(`${CIDR_TYPE}.ip(): ${IP_TYPE}`, ({ address }: Block) => address)
    .registerFunction(`${CIDR_TYPE}.prefixLength(): int`, ({ prefix }: Block) => BigInt(prefix));
}

function contains(outer: Block, inner: Block): boolean {
  return outer.prefix <= inner.prefix && outer.holds(inner.address);
}

function succeeds(make: () => unknown): boolean {
  try {
    make();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
