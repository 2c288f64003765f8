import type { GuessedCommand, ProjectFiles } from './project-files.ts';

/**
 * The program that Maven or Gradle builds in a folder, with the command that does it, by the wrapper of the folder where there is one: a jar that
 * can be run (of Spring Boot, or one whose manifest names a main class), or the start script of Gradle's application plugin. Undefined where it is
 * none, where its name is not said in the folder, or where this machine has no Java or nothing that builds. Pure but for what it is given.
 *
 * @param folder with a slash at its end; empty: the project's
 */
export function jarProgram(folder: string, files: ProjectFiles): GuessedCommand | undefined {
  return files.hasProgram('java') ? (ofMaven(folder, files) ?? ofGradle(folder, files)) : undefined;
}

function ofMaven(folder: string, files: ProjectFiles): GuessedCommand | undefined {
  const pom = files.read(`${folder}pom.xml`);
  const tool = builder(folder, 'mvnw', 'mvn', files);
  if (pom === undefined || tool === undefined) return undefined;
  if (!/spring-boot-maven-plugin|<mainClass>/.test(pom)) return undefined;
  const parent = /<parent>[\s\S]*?<\/parent>/.exec(pom)?.[0] ?? '';
  const own = pom.replaceAll(
    /<(parent|build|dependencies|dependencyManagement|profiles|properties)>[\s\S]*?<\/\1>/g,
    '',
  );
  const said = (name: string, text: string): string | undefined =>
    new RegExp(`<${name}>\\s*([\\w.-]+)\\s*</`).exec(text)?.[1];
  const named = /<finalName>\s*([\w.-]+)\s*</.exec(pom)?.[1];
  const artifact = said('artifactId', own);
  const version = said('version', own) ?? said('version', parent);
  const name =
    named ?? (artifact === undefined || version === undefined ? undefined : `${artifact}-${version}`);
  if (name === undefined || (said('packaging', own) ?? 'jar') !== 'jar') return undefined;
  return {
    command: `java -jar ${folder}target/${name}.jar`,
    build: `${tool} -q -f ${folder}pom.xml -DskipTests package`,
    source: `${folder}pom.xml`,
  };
}

function ofGradle(folder: string, files: ProjectFiles): GuessedCommand | undefined {
  const [script = '', file = ''] = ['build.gradle', 'build.gradle.kts'].flatMap((one) => {
    const text = files.read(`${folder}${one}`);
    return text === undefined ? [] : [text, `${folder}${one}`];
  });
  const settings = files.read(`${folder}settings.gradle`) ?? files.read(`${folder}settings.gradle.kts`) ?? '';
  const name = /^\s*rootProject\.name\s*=\s*["']([\w.-]+)["']/m.exec(settings)?.[1];
  const tool = builder(folder, 'gradlew', 'gradle', files);
  if (name === undefined || tool === undefined) return undefined;
  const where = folder === '' ? '' : ` -p ${folder.slice(0, -1)}`;
  if (/org\.springframework\.boot/.test(script)) {
    const version = /^\s*version\s*=\s*["']([\w.-]+)["']/m.exec(script)?.[1];
    const jar = version === undefined ? name : `${name}-${version}`;
    return {
      command: `java -jar ${folder}build/libs/${jar}.jar`,
      build: `${tool} -q${where} bootJar`,
      source: file,
    };
  }
  const isApplication = /\bapplication\b/.test(/plugins\s*\{([^}]*)\}/.exec(script)?.[1] ?? '');
  return isApplication
    ? {
        command: `./${folder}build/install/${name}/bin/${name}`,
        build: `${tool} -q${where} installDist`,
        source: file,
      }
    : undefined;
}

/** The wrapper of a folder, else the program of this machine. */
function builder(folder: string, wrapper: string, program: string, files: ProjectFiles): string | undefined {
  if (files.read(`${folder}${wrapper}`) !== undefined) return `./${folder}${wrapper}`;
  return files.hasProgram(program) ? program : undefined;
}
