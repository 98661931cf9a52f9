/** The text of a file, put in its place when the package is built. */
declare module '*?raw' {
  const text: string;
  export default text;
}
