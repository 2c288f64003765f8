import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { guessCommand } from './guess-command.ts';

const PROGRAMS = ['python3', 'npm', 'go', 'cargo', 'redis-server', 'gunicorn', 'java'];

function guess(image: string, files: Readonly<Record<string, string>>) {
  return guessCommand(image, { read: (path) => files[path], hasProgram: (name) => PROGRAMS.includes(name) });
}

describe('the command that an image stands for', () => {
  const cases: [
    name: string,
    image: string,
    files: Readonly<Record<string, string>>,
    command: string | undefined,
  ][] = [
    [
      'the Dockerfile, entry point and arguments, in exec form',
      'shop/api:1',
      {
        Dockerfile: 'FROM node\nENTRYPOINT ["node"]\nCMD ["a.js"]\nCMD ["/app/server.js", "--port=1"]',
        'server.js': '',
      },
      'node server.js --port=1',
    ],
    [
      'the Dockerfile in shell form, with a program of another name',
      'api',
      { Dockerfile: 'FROM python\nCMD python app.py', 'app.py': '' },
      'python3 app.py',
    ],
    [
      'not what a shell has to read',
      'api',
      { Dockerfile: 'CMD echo $HOME && node x.js', 'server.js': '' },
      'node server.js',
    ],
    [
      'not a program that the machine lacks',
      'api',
      { Dockerfile: 'CMD ["ruby", "x.rb"]', 'x.rb': '' },
      undefined,
    ],
    [
      'a folder of its name comes first',
      'reg.example/shop/api',
      { 'api/server.js': '', 'server.js': '' },
      'node api/server.js',
    ],
    ['below services/ as well', 'shop/web', { 'services/web/main.py': '' }, 'python3 services/web/main.py'],
    [
      'the start script',
      'api',
      { 'package.json': '{"scripts":{"start":"node src/main.js"}}', 'src/main.js': '' },
      'node src/main.js',
    ],
    [
      'a main file of package.json',
      'api',
      { 'package.json': '{"main":"lib.js"}', 'lib.js': '' },
      'node lib.js',
    ],
    ['a broken package.json says nothing', 'api', { 'package.json': '{', 'app.py': '' }, 'python3 app.py'],
    ['an own program', 'api', { Dockerfile: 'CMD ["./run.sh", "a"]', 'run.sh': '' }, './run.sh a'],
    ['a known program', 'redis:7', { 'server.js': '' }, 'redis-server --protected-mode no'],
    ['a known program that is not here', 'memcached', { 'server.js': '' }, undefined],
    ['nothing', 'api', {}, undefined],
    ['not a script that nothing makes', 'api', { Dockerfile: 'CMD ["java", "-jar", "x.jar"]' }, undefined],
    [
      'a module, in the folder in which it is found',
      'shop/api',
      { 'api/Dockerfile': 'CMD ["gunicorn", "-b", ":8080", "app:app"]', 'api/app.py': '' },
      'env -C api gunicorn -b :8080 app:app',
    ],
    [
      'a module of the project itself',
      'api',
      { Dockerfile: 'CMD python -m shop' },
      'env -C . python3 -m shop',
    ],
    ['a class as a source', 'api', { 'Main.java': '' }, 'java Main.java'],
  ];
  for (const [name, image, files, command] of cases)
    it(name, () => assert.equal(guess(image, files)?.command, command));

  const builds: [
    name: string,
    image: string,
    files: Readonly<Record<string, string>>,
    command: string,
    build: string,
  ][] = [
    [
      'Go, of which the Dockerfile only has where it lies in the image',
      'shop/api',
      { Dockerfile: 'CMD ["/usr/local/bin/api"]', 'go.mod': '', 'main.go': '' },
      './.turnsole/api',
      'go build -o .turnsole/api .',
    ],
    [
      'Go, a module in a folder',
      'shop/api',
      { 'services/api/go.mod': '', 'services/api/main.go': '' },
      './.turnsole/api',
      'go build -C services/api -o "$PWD/.turnsole/api" .',
    ],
    [
      "Go, a package of the project's module",
      'shop/api',
      { 'go.mod': '', 'cmd/api/main.go': '' },
      './.turnsole/api',
      'go build -o .turnsole/api ./cmd/api',
    ],
    [
      'Rust',
      'api',
      { 'api/Cargo.toml': '[package]\nname = "shop-api"\n[dependencies]\n', 'api/src/main.rs': '' },
      './.turnsole/cargo/release/shop-api',
      'cargo build --release --manifest-path api/Cargo.toml --target-dir .turnsole/cargo',
    ],
    [
      'a script that the build of package.json makes',
      'shop/api',
      {
        'api/Dockerfile': 'CMD ["node", "dist/main.js"]',
        'api/package.json': '{"scripts":{"build":"tsc"}}',
      },
      'node api/dist/main.js',
      'npm --prefix api run build',
    ],
  ];
  for (const [name, image, files, command, build] of builds)
    it(`${name}, with its build`, () => {
      const found = guess(image, files);
      assert.deepEqual([found?.command, found?.build], [command, build]);
    });
});
