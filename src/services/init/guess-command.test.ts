import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { guessCommand } from './guess-command.ts';

const PROGRAMS = ['python3', 'npm', 'go', 'cargo', 'redis-server', 'gunicorn', 'java', 'mvn'];

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
    [
      'variables of the last stage of the Dockerfile, but for paths and what the image says of itself',
      'api',
      {
        Dockerfile:
          'FROM node AS build\nENV STAGE=build\nFROM node\nENV PORT=8080 MODE="fast" DATA=/data NODE_VERSION=24 \\\n  WORDS="a b" URL=http://db:5432\nENV LEVEL debug\nCMD ["node", "server.js"]',
        'server.js': '',
      },
      'env PORT=8080 MODE=fast URL=http://db:5432 LEVEL=debug node server.js',
    ],
    [
      'variables of a module in its folder',
      'shop/api',
      { 'api/Dockerfile': 'FROM python\nENV PORT=1\nCMD ["gunicorn", "app:app"]', 'api/app.py': '' },
      'env -C api PORT=1 gunicorn app:app',
    ],
    [
      'no library of Maven, which is no program',
      'api',
      { 'pom.xml': '<project><artifactId>api</artifactId><version>1</version></project>' },
      undefined,
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
      'Maven, of Spring Boot, whose Dockerfile has the jar by another name; the version is the parent\u2019s',
      'shop/quotes',
      {
        'quotes/Dockerfile':
          'FROM eclipse-temurin\nENV SERVER_PORT=8080\nCOPY target/*.jar app.jar\nCMD ["java", "-jar", "/app.jar"]',
        'quotes/pom.xml':
          '<project><parent><artifactId>all</artifactId><version>2.1</version></parent><artifactId>quotes</artifactId>' +
          '<dependencies><dependency><artifactId>x</artifactId><version>9</version></dependency></dependencies>' +
          '<build><plugins><plugin><artifactId>spring-boot-maven-plugin</artifactId></plugin></plugins></build></project>',
      },
      'env SERVER_PORT=8080 java -jar quotes/target/quotes-2.1.jar',
      'mvn -q -f quotes/pom.xml -DskipTests package',
    ],
    [
      'Gradle, by its wrapper, of Spring Boot',
      'api',
      {
        gradlew: '',
        'settings.gradle': "rootProject.name = 'shop-api'\n",
        'build.gradle': "plugins { id 'org.springframework.boot' version '3.5.0' }\nversion = '1.0'\n",
      },
      'java -jar build/libs/shop-api-1.0.jar',
      './gradlew -q bootJar',
    ],
    [
      'Gradle, an application in a folder',
      'shop/api',
      {
        'api/gradlew': '',
        'api/settings.gradle.kts': 'rootProject.name = "api"\n',
        'api/build.gradle.kts': 'plugins {\n  application\n}\n',
      },
      './api/build/install/api/bin/api',
      './api/gradlew -q -p api installDist',
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
