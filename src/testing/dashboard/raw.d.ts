/** The text of a file, inlined when the package is built. */
declare module '*?raw' {
  const text: string;
  export default text;
}
