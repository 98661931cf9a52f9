// Fails where a figure that does not depend on the machine's mood has grown past its limit: sizes, types, requests, heap.
import { concepts } from './rows/concepts.ts';
import { heapGrowth } from './rows/heap.ts';
import { iterate } from './rows/prefetch.ts';
import { bundled, bytesFrom, filesOfMainEntry } from './rows/size.ts';
import { transferRatios } from './rows/uploads.ts';
import { check, ourConsumer, typescript } from './rows/types.ts';

const questionsOnly = `import { Questions, createHttpClient } from 'marketplace-seller-sdk';
  globalThis.it = new Questions(createHttpClient({ baseUrl: 'https://a.test' }));`;

interface Limit {
  readonly what: string;
  readonly most: number;
  readonly measure: () => number | Promise<number>;
}

const limits: readonly Limit[] = [
  // The goals of the bundles are 45 and 60 KiB. They are missed today, by more than in version 0.2.0: these limits only keep
  // the bundles from growing further.
  { what: 'KiB in a bundle, questions only', most: 56, measure: () => bundled(questionsOnly) },
  {
    what: 'KiB in a bundle, the whole client',
    most: 75,
    measure: () => bundled(`import { SellerClient } from 'marketplace-seller-sdk'; globalThis.it = SellerClient;`),
  },
  {
    what: 'bytes of other resources in a bundle, questions only',
    most: 0,
    measure: () => bytesFrom(/\/src\/resources\/(?!questions\/|blacklist\/)[\w-]+\//, questionsOnly),
  },
  { what: 'files read by an import', most: 28, measure: filesOfMainEntry },
  ...concepts,
  {
    what: 'type instantiations of a consumer',
    most: 2_500,
    measure: async () => (await check(ourConsumer, typescript, true)).instantiations,
  },
  {
    what: 'requests for 10,000 questions with 50 per page',
    most: 206,
    measure: async () => (await iterate(0, 0)).requests,
  },
  { what: 'requests with prefetch 8', most: 206, measure: async () => (await iterate(8, 0)).requests },
  { what: 'KiB of heap after 10,000 calls', most: 512, measure: () => heapGrowth() },
  {
    what: "times the peak memory of the platform's fetch, for an upload of 25 MB",
    most: 1.1,
    measure: async () => (await transfers()).peak,
  },
  {
    what: "times the growth of the platform's fetch, for an upload of 250 MB",
    most: 1.5,
    measure: async () => (await transfers()).upload,
  },
  {
    what: "times the growth of the platform's fetch, for a download of 250 MB",
    most: 1.5,
    measure: async () => (await transfers()).download,
  },
];

/** Measured once for all three. */
let measured: ReturnType<typeof transferRatios> | undefined;
function transfers(): ReturnType<typeof transferRatios> {
  return (measured ??= transferRatios());
}

let failed = 0;
for (const { what, most, measure } of limits) {
  const value = await measure();
  const isWithin = value <= most;
  if (!isWithin) failed += 1;
  console.log(`${isWithin ? 'ok  ' : 'OVER'} ${what}: ${value.toFixed(value < 100 ? 1 : 0)} (at most ${most})`);
}
process.exitCode = failed === 0 ? 0 : 1;
