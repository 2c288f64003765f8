/** Style sheets are taken in for what they do. */
declare module '*.css';

/** A file as its text. */
declare module '*?raw' {
  const text: string;
  export default text;
}
