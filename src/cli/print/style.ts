import { styleText } from 'node:util';

/** Arguments of a style function: the name of a style of `util.styleText` and the text. */
export type Style = (format: Parameters<typeof styleText>[0], text: string) => string;

/** Styles as the stream allows: colours on a terminal that wants them, none elsewhere (NO_COLOR, pipes). */
export function styleFor(stream: NodeJS.WriteStream): Style {
  return (format, text) => styleText(format, text, { stream });
}
