/** Images of applications as their makers build them: of programs of this machine, with the users, entry points and folders of the official ones. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '@turnsole/kube/base/machine';
import { type LayerContent, nameServices, type OciConfig } from './oci-image.ts';

/** An image, or which program of this machine it cannot be made without. */
export type ApplicationImage =
  | { readonly layers: readonly LayerContent[]; readonly config: OciConfig; readonly missing?: undefined }
  | { readonly missing: string };

const PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The least of a Debian: a shell, a few tools, the two files of users. */
export function baseLayer(users: readonly string[] = [], groups: readonly string[] = []): LayerContent {
  const tools = [
    'id',
    'cat',
    'ls',
    'mkdir',
    'chown',
    'chmod',
    'sleep',
    'env',
    'tar',
    'grep',
    'stat',
    'touch',
    'rm',
    'setsid',
  ];
  return {
    programs: tools.flatMap((tool) => findProgram(tool) ?? []),
    copies: nameServices(),
    files: {
      '/etc/passwd': `${['root:x:0:0:root:/root:/bin/sh', ...users].join('\n')}\n`,
      '/etc/group': `${['root:x:0:', ...groups].join('\n')}\n`,
      '/etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
    },
    folders: ['/tmp 0:0 1777', '/root 0:0 700', '/run', '/var/tmp 0:0 1777'],
    programsAt: { '/bin/sh': findProgram('dash') ?? '/bin/sh' },
  };
}

/** Redis: an ordinary user by its name, data in a declared volume, ended by its own stop signal. */
export function redisImage(): ApplicationImage {
  const [server, client] = [findProgram('redis-server'), findProgram('redis-cli')];
  if (server === undefined || client === undefined) return { missing: 'redis-server' };
  return {
    layers: [
      baseLayer(['redis:x:999:1000::/data:/bin/sh'], ['redis:x:1000:', 'logs:x:44:redis']),
      { programs: [server, client], folders: ['/data 999:1000 755'] },
    ],
    config: {
      User: 'redis',
      Entrypoint: [server],
      Env: [PATH, 'REDIS_VERSION=7'],
      WorkingDir: '/data',
      Volumes: { '/data': {} },
      ExposedPorts: { '6379/tcp': {} },
    },
  };
}

/** As the official entry point does it: as root it gives the folder to the user, then becomes that user, makes a database and serves it. */
const POSTGRES_ENTRYPOINT = `#!/bin/sh
set -e
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA" /var/run/postgresql
  chown -R postgres:postgres "$PGDATA" /var/run/postgresql
  chmod 700 "$PGDATA"
  exec setpriv --reuid=postgres --regid=postgres --clear-groups "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb --username=postgres --auth=trust --no-sync >&2
  echo "host all all all trust" >> "$PGDATA/pg_hba.conf"
fi
exec "$@"
`;

/** PostgreSQL: begins as root, becomes another user, ended by SIGINT. */
export function postgresImage(): ApplicationImage {
  const [home = ''] = globSync('/usr/lib/postgresql/*').toReversed();
  if (home === '' || !existsSync(join(home, 'bin/initdb'))) return { missing: 'postgresql' };
  const bin = join(home, 'bin');
  const libraries = globSync(join(home, 'lib/{dict_snowball,plpgsql,*iso*,utf8*}*.so'));
  const setpriv = findProgram('setpriv');
  if (setpriv === undefined) return { missing: 'setpriv' };
  return {
    layers: [
      baseLayer(['postgres:x:70:70::/var/lib/postgresql:/bin/sh'], ['postgres:x:70:']),
      {
        programs: [
          ...['postgres', 'initdb', 'pg_isready', 'psql'].map((name) => join(bin, name)),
          ...libraries,
          setpriv,
        ],
        copies: [`/usr/share/postgresql/${home.split('/').at(-1)}`, '/usr/share/zoneinfo'],
        files: { '/usr/local/bin/docker-entrypoint.sh*': POSTGRES_ENTRYPOINT },
        folders: ['/var/lib/postgresql 70:70 700', '/var/run/postgresql 70:70 3777'],
      },
    ],
    config: {
      Entrypoint: ['docker-entrypoint.sh'],
      Cmd: ['postgres', '-c', 'listen_addresses=*', '-c', 'fsync=off'],
      Env: [`${PATH}:${bin}`, 'PGDATA=/var/lib/postgresql/data', 'LANG=C'],
      Volumes: { '/var/lib/postgresql/data': {} },
      StopSignal: 'SIGINT',
    },
  };
}

/** nginx: a master of root with workers of another user, ended by SIGQUIT. */
export function nginxImage(): ApplicationImage {
  const nginx = findProgram('nginx');
  if (nginx === undefined) return { missing: 'nginx' };
  return {
    layers: [
      baseLayer(['nginx:x:101:101::/nonexistent:/bin/false'], ['nginx:x:101:']),
      {
        programs: [nginx],
        files: {
          '/etc/nginx/nginx.conf':
            'user nginx;\nworker_processes 1;\nerror_log /dev/stderr;\npid /run/nginx.pid;\nevents {}\n' +
            'http { access_log off; include /etc/nginx/conf.d/*.conf; }\n',
          '/etc/nginx/conf.d/default.conf': 'server { listen 80; root /usr/share/nginx/html; }\n',
          '/usr/share/nginx/html/index.html': 'of the image\n',
        },
        folders: ['/var/log/nginx', '/var/lib/nginx 101:101 755'],
        links: { '/var/log/nginx/error.log': '/dev/stderr' },
      },
    ],
    config: {
      Entrypoint: [nginx],
      Cmd: ['-g', 'daemon off;'],
      Env: [PATH],
      StopSignal: 'SIGQUIT',
      ExposedPorts: { '80/tcp': {} },
    },
  };
}

const NODE_SERVER = `const { createServer } = require('node:http');
const server = createServer((request, response) => {
  response.end(JSON.stringify({ uid: process.getuid(), cwd: process.cwd(), home: process.env.HOME, set: process.env.SETTING, host: require('os').hostname() }));
});
server.listen(3000);
process.on('SIGTERM', () => { console.log('bye'); server.close(() => process.exit(0)); server.closeAllConnections(); });
`;

/** A Node application: its own user, a working directory, a relative command. */
export function nodeImage(): ApplicationImage {
  return {
    layers: [
      baseLayer(['node:x:1000:1000::/home/node:/bin/sh'], ['node:x:1000:']),
      { programsAt: { '/usr/local/bin/node': process.execPath } },
      { files: { '/app/server.js': NODE_SERVER }, folders: ['/home/node 1000:1000 755'] },
    ],
    config: {
      User: 'node',
      Cmd: ['node', 'server.js'],
      WorkingDir: '/app',
      Env: [PATH, 'NODE_ENV=production'],
    },
  };
}

const PYTHON_SERVER = `import http.server, os, socket
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers()
        self.wfile.write(f"python {os.getuid()} {os.environ.get('SETTING')}".encode())
    def log_message(self, *args): pass
http.server.ThreadingHTTPServer(("", 8000), Handler).serve_forever()
`;

/** A Python application, as root. */
export function pythonImage(): ApplicationImage {
  const python = findProgram('python3', '/usr/bin');
  if (python === undefined) return { missing: 'python3' };
  const said = execFileSync(python, ['-c', 'import sysconfig; print(sysconfig.get_path("stdlib"))'], {
    encoding: 'utf8',
  });
  const library = said.trim();
  return {
    layers: [
      baseLayer(),
      {
        programs: [python, ...globSync(join(library, 'lib-dynload/*.so'))],
        copies: globSync(join(library, '*.py')),
      },
      {
        copies: [
          'asyncio',
          'collections',
          'concurrent',
          'email',
          'encodings',
          'html',
          'http',
          'importlib',
          'json',
          'logging',
          're',
          'urllib',
        ]
          .map((name) => join(library, name))
          .filter((path) => existsSync(path)),
        files: { '/srv/app.py': PYTHON_SERVER },
      },
    ],
    config: { Entrypoint: [python, '-u'], Cmd: ['/srv/app.py'], Env: [PATH] },
  };
}

const GO_PROGRAM = `package main

import ("fmt"; "net/http"; "os"; "os/signal"; "syscall")

func main() {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1, syscall.SIGTERM)
	go func() { fmt.Println("ended by", <-asked); os.Exit(7) }()
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		folder, _ := os.Getwd()
		fmt.Fprint(w, "uid ", os.Getuid(), " gid ", os.Getgid(), " in ", folder, " with ", os.Args[1:], " ", os.Getenv("GREETING"))
	})
	fmt.Println("ready"); http.ListenAndServe(":8080", nil)
}
`;

/**
 * A static program and nothing else: no shell, no library, no file of users.
 *
 * @param folder where it is built
 */
export function staticImage(folder: string): ApplicationImage {
  const go = findProgram('go', `${process.env.PATH ?? ''}:/usr/local/go/bin`);
  if (go === undefined) return { missing: 'go' };
  const source = join(folder, 'main.go');
  const program = join(folder, 'server');
  execFileSync('sh', ['-c', 'cat > "$0"', source], { input: GO_PROGRAM });
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=mod', GO111MODULE: 'off' };
  execFileSync(go, ['build', '-o', program, source], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  return {
    layers: [{ programsAt: { '/server': program } }],
    config: {
      User: '65532',
      Entrypoint: ['/server'],
      Cmd: ['a', 'b c'],
      Env: ['GREETING=hello'],
      WorkingDir: '/work',
      StopSignal: 'SIGUSR1',
    },
  };
}
