/** The text of a file, inlined when the package is built. */
declare module '*?raw' {
  const text: string;
  export default text;
}

/** A script with all that it imports, as a text, inlined when the package is built. */
declare module '*?script' {
  const text: string;
  export default text;
}
