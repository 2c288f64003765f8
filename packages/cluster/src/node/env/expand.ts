/**
 * Gives the text with `$(NAME)` replaced by the variable's value; pure. An unknown name stays as it is written, and
 * `$$` stands for one `$`, so `$$(NAME)` is the text `$(NAME)` (API reference: Container.command, EnvVar.value).
 */
export function expandVariables(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replace(/\$\$|\$\(([^)]*)\)/g, (found, name: string | undefined) =>
    found === '$$' ? '$' : (variables.get(name ?? '') ?? found),
  );
}
