import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { guessCommand } from './guess-command.ts';

const PROGRAMS = ['python3', 'npm', 'go', 'redis-server', 'gunicorn'];

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
      { Dockerfile: 'CMD ["java", "-jar", "x.jar"]' },
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
    ['a known program', 'redis:7', { 'server.js': '' }, 'redis-server'],
    ['a known program that is not here', 'memcached', { 'server.js': '' }, undefined],
    ['nothing', 'api', {}, undefined],
  ];
  for (const [name, image, files, command] of cases)
    it(name, () => assert.equal(guess(image, files)?.command, command));
});
