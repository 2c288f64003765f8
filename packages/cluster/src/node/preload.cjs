/**
 * Loaded into every Node program of a pod (NODE_OPTIONS=--require …) where pods have no network of their own.
 *
 * It resolves names of services and of pods behind headless services, keeps servers to the pod's own address, and lets
 * `localhost` mean that address. CommonJS and plain JavaScript: this is the form that starts fastest (about 2 ms), and
 * a container may run another version of Node.
 *
 * Environment: TURNSOLE_HOSTS_FILE (JSON: `hosts` name.namespace to addresses, `aliases` name.namespace to an external
 * name, `ports` "address:port" to the port that really listens), TURNSOLE_POD_IP (absent under hostNetwork),
 * TURNSOLE_POD_NAMESPACE, HOSTNAME.
 */
'use strict';

const file = process.env.TURNSOLE_HOSTS_FILE;
if (file !== undefined)
  install(file, process.env.TURNSOLE_POD_IP, process.env.TURNSOLE_POD_NAMESPACE ?? 'default');

function install(hostsFile, podIP, namespace) {
  const dns = require('node:dns');
  const fs = require('node:fs');
  const net = require('node:net');
  const apiServer = `${process.env.KUBERNETES_SERVICE_HOST}:${process.env.KUBERNETES_SERVICE_PORT}`;
  // Where every pod has the same address there is nothing to keep apart.
  const ownIP = podIP === undefined || podIP === '127.0.0.1' ? undefined : podIP;

  let table = { hosts: {}, aliases: {}, ports: {} };
  let version = '';
  /** The file is replaced as a whole, so its inode and time tell whether it has to be read again. */
  function readTable() {
    try {
      const { ino, mtimeMs } = fs.statSync(hostsFile);
      const found = `${ino} ${mtimeMs}`;
      if (found !== version) {
        table = JSON.parse(fs.readFileSync(hostsFile, 'utf8'));
        version = found;
      }
    } catch {
      // Being replaced, or the cluster is closing: what was read last still holds.
    }
    return table;
  }

  /**
   * `{ addresses }` or `{ alias }` for a name of the cluster, `{ addresses: [] }` for a name that could only be one but
   * is not there, undefined for all other names.
   */
  function find(hostname, hops = 0) {
    if (typeof hostname !== 'string' || hostname === '' || net.isIP(hostname) !== 0) return undefined;
    const name = hostname.toLowerCase().replace(/\.$/, '');
    if (name === 'localhost')
      return ownIP === undefined ? undefined : { addresses: [ownIP, '127.0.0.1'], local: true };
    if (ownIP !== undefined && name === process.env.HOSTNAME) return { addresses: [ownIP] };
    const short = name.replace(/\.svc(\.cluster\.local)?$/, '');
    const isCluster = short !== name;
    const { hosts, aliases } = readTable();
    for (const key of isCluster ? [short] : [`${short}.${namespace}`, short]) {
      if (Object.hasOwn(hosts, key)) return { addresses: rotate(hosts[key]) };
      // An external name may be one of the cluster, and two may lead to each other.
      if (Object.hasOwn(aliases, key))
        return (hops < 8 && find(aliases[key], hops + 1)) || { alias: aliases[key] };
    }
    return isCluster ? { addresses: [] } : undefined;
  }

  /** Headless services have several addresses; each caller begins with another. */
  let turn = 0;
  function rotate(addresses) {
    if (addresses.length < 2) return addresses;
    turn = (turn + 1) % addresses.length;
    return [...addresses.slice(turn), ...addresses.slice(0, turn)];
  }

  /** Which of the pod's own and the shared loopback address `localhost` is, for callers that take only one. */
  function listens(address) {
    const hex = address
      .split('.')
      .reverse()
      .map((part) => Number(part).toString(16).padStart(2, '0'))
      .join('');
    try {
      // ` 0A ` is the state LISTEN.
      return new RegExp(`: ${hex}:[0-9A-F]{4} 00000000:0000 0A `, 'i').test(
        fs.readFileSync('/proc/net/tcp', 'utf8'),
      );
    } catch {
      return true;
    }
  }

  function answer(hostname, found, options) {
    const family = options.family === 'IPv4' ? 4 : options.family === 'IPv6' ? 6 : (options.family ?? 0);
    if (found.addresses.length === 0 || (family === 6 && found.local !== true)) {
      const error = new Error(`getaddrinfo ENOTFOUND ${hostname}`);
      throw Object.assign(error, { errno: -3008, code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname });
    }
    const list = found.addresses.map((address) => ({ address, family: 4 }));
    if (options.all === true) return list;
    return found.local === true && !listens(found.addresses[0]) ? list[1] : list[0];
  }

  const { lookup } = dns;
  dns.lookup = Object.defineProperty(
    function (...args) {
      const [hostname, options, callback] = args;
      const done = typeof options === 'function' ? options : callback;
      const found = typeof done === 'function' ? find(hostname) : undefined;
      if (found === undefined) return lookup.apply(this, args);
      if (found.alias !== undefined) return lookup.call(this, found.alias, ...args.slice(1));
      const given =
        typeof options === 'number'
          ? { family: options }
          : typeof options === 'object' && options !== null
            ? options
            : {};
      let result;
      try {
        result = answer(hostname, found, given);
      } catch (error) {
        process.nextTick(done, error);
        return {};
      }
      if (given.all === true) process.nextTick(done, null, result);
      else process.nextTick(done, null, result.address, result.family);
      return {};
    },
    'name',
    { value: 'lookup' },
  );
  for (const symbol of Object.getOwnPropertySymbols(lookup)) dns.lookup[symbol] = lookup[symbol];

  const lookupPromise = dns.promises.lookup;
  dns.promises.lookup = async function lookup(hostname, options) {
    const found = find(hostname);
    if (found === undefined) return lookupPromise.call(this, hostname, options);
    if (found.alias !== undefined) return lookupPromise.call(this, found.alias, options);
    return answer(hostname, found, typeof options === 'number' ? { family: options } : (options ?? {}));
  };

  const LOOPBACK = new Set(['localhost', '127.0.0.1', '::1', '::ffff:127.0.0.1']);
  const ALL_ADDRESSES = new Set(['', '0.0.0.0', '::', '::0', '::ffff:0.0.0.0']);
  const isShared = (host) =>
    host === undefined || host === null || ALL_ADDRESSES.has(host) || LOOPBACK.has(host);

  if (ownIP !== undefined) {
    const { listen } = net.Server.prototype;
    // listen([port[, host[, backlog]]][, callback]) and listen(options[, callback]); paths and handles stay.
    net.Server.prototype.listen = function (...args) {
      const [first, second] = args;
      if (typeof first === 'object' && first !== null) {
        const isPort = first.port !== undefined && first.path === undefined && first.fd === undefined;
        if (isPort && isShared(first.host)) args[0] = { ...first, host: ownIP, ipv6Only: false };
      } else if (first === undefined || first === null || typeof first === 'function') {
        args.splice(0, typeof first === 'function' ? 0 : 1, 0);
        if (typeof args[1] === 'string') args[1] = isShared(args[1]) ? ownIP : args[1];
        else args.splice(1, args[1] === undefined || args[1] === null ? 1 : 0, ownIP);
      } else if (typeof first === 'number' || /^\d+$/.test(first)) {
        if (typeof second === 'string') args[1] = isShared(second) ? ownIP : second;
        else args.splice(1, second === undefined || second === null ? 1 : 0, ownIP);
      }
      return listen.apply(this, args);
    };
  }

  // On a loopback an answer comes at once: where an attempt takes longer than Node's 250 ms, the process is busy. It must not go on to the
  // machine's loopback for that, where another program may listen.
  const PATIENT = { autoSelectFamilyAttemptTimeout: 120_000 };

  const { connect } = net.Socket.prototype;
  // connect(options[, listener]), connect(port[, host][, listener]), and the array that net.connect makes of either.
  net.Socket.prototype.connect = function (...args) {
    const list = Array.isArray(args[0]) ? args[0] : args;
    const [first, second] = list;
    if (typeof first === 'object' && first !== null) {
      const changed = redirect(first.host, first.port, first.path);
      if (changed !== undefined) list[0] = { ...first, ...changed };
    } else if (typeof first === 'number' || /^\d+$/.test(first)) {
      const host = typeof second === 'string' ? second : undefined;
      const changed = redirect(host, first, undefined);
      if (changed !== undefined)
        list.splice(0, host === undefined ? 1 : 2, { port: first, host, ...changed });
    }
    return connect.apply(this, args);
  };

  /** What of the options is to be replaced before connecting, or undefined. */
  function redirect(host, port, path) {
    // An empty path, as http's agents give it, leads to no pipe either.
    if (path || port === undefined) return undefined;
    if (`${host ?? 'localhost'}:${port}` === apiServer) return undefined;
    const isLocal = ownIP !== undefined && LOOPBACK.has(host ?? '127.0.0.1');
    if (isLocal && host !== 'localhost') return { host: 'localhost', ...PATIENT };
    const address = net.isIP(host ?? '') === 0 ? find(host)?.addresses?.[0] : host;
    const real = readTable().ports[`${address}:${port}`];
    if (real === undefined) return isLocal ? PATIENT : undefined;
    return isLocal ? { port: real, ...PATIENT } : { port: real };
  }

  // Programs that are modules have imported copies of these names.
  require('node:module').syncBuiltinESMExports();
}
