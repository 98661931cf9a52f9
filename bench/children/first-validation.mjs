// In a fresh process: prints the milliseconds that the first validated question takes.
const { endpoints } = await import(new URL('../../dist/esm/schemas.js', import.meta.url).href);

const question = JSON.parse(process.argv[2] ?? '');
const start = performance.now();
endpoints.questions.get.output.safeParse(question);
console.log(performance.now() - start);
