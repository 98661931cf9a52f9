import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { compare, here } from '../measure.ts';
import type { Row } from '../measure.ts';

const consumers: Readonly<Record<string, string>> = {
  'an empty file': 'export {};',
  'marketplace-seller-sdk': `
import { SellerClient, InvalidQuestionError } from 'marketplace-seller-sdk';
const seller = new SellerClient({ baseUrl: 'https://api.example.com', accessToken: 'token' });
export async function answerAll(seller_id: number): Promise<number> {
  let answered = 0;
  for await (const question of seller.questions.search({ seller_id, filters: { status: 'UNANSWERED' } })) {
    try {
      await seller.questions.answer({ question_id: question.id, text: 'Yes.' });
      answered += 1;
    } catch (error) {
      if (!(error instanceof InvalidQuestionError)) throw error;
    }
  }
  const { id } = await seller.questions.get({ question_id: 42 }, { attributes: ['id'] });
  return answered + id;
}`,
  Stripe: `
import Stripe from 'stripe';
const stripe = new Stripe('sk');
export async function all(): Promise<number> {
  let count = 0;
  for await (const customer of stripe.customers.list({ limit: 3 })) { if (customer.email) count += 1; }
  const one = await stripe.customers.retrieve('cus_1');
  return count + one.id.length;
}`,
  OpenAI: `
import OpenAI from 'openai';
const client = new OpenAI({ apiKey: 'k' });
export async function all(): Promise<number> {
  let count = 0;
  for await (const model of client.models.list()) { if (model.id) count += 1; }
  const one = await client.models.retrieve('m');
  return count + one.id.length;
}`,
  Octokit: `
import { Octokit } from '@octokit/rest';
const octokit = new Octokit({ auth: 'k' });
export async function all(): Promise<number> {
  const issues = await octokit.paginate('GET /repos/{owner}/{repo}/issues', { owner: 'a', repo: 'b' });
  const one = await octokit.request('GET /repos/{owner}/{repo}', { owner: 'a', repo: 'b' });
  return issues.length + Number(one.data.id);
}`,
};

/** What `tsc` says of a consumer: its own seconds, and how many types it made. */
export interface Checked {
  readonly seconds: number;
  readonly instantiations: number;
}

export const ourConsumer = consumers['marketplace-seller-sdk'] ?? '';
export const typescript = here('../node_modules/typescript/bin/tsc');

/** Checks one consumer with a TypeScript. */
export async function check(code: string, tsc: string, skipLibCheck: boolean): Promise<Checked> {
  // Ours resolves by its own name from the root of the package; the peers from where they are installed.
  const folder = here(code === ourConsumer ? '../.consumer' : '.consumer');
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/index.ts`, code);
  const options = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    lib: ['es2023', 'dom'],
    module: 'nodenext',
    skipLibCheck,
    types: [],
  };
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions: options, files: ['index.ts'] }));
  const run = promisify(execFile)(process.execPath, [tsc, '-p', folder, '--extendedDiagnostics']);
  const { stdout } = await run.finally(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const figure = (name: string): number => Number(new RegExp(`${name}:\\s+([\\d.]+)`).exec(stdout)?.[1]);
  return { seconds: figure('Total time'), instantiations: figure('Instantiations') };
}

/** `tsc` on a consumer of 20 lines, over what an empty file takes. */
export async function types(rounds = 5): Promise<Row[]> {
  const compilers = { 'TypeScript 6': typescript, 'TypeScript 7': here('node_modules/typescript7/bin/tsc') };
  const rows: Row[] = [];
  for (const [compiler, tsc] of Object.entries(compilers)) {
    if (!existsSync(tsc)) continue;
    for (const skipLibCheck of [true, false]) {
      const measured: Record<string, number[]> = {};
      for (let round = 0; round < rounds; round += 1) {
        for (const [name, code] of Object.entries(consumers)) {
          // Some peers' own declarations do not pass without skipLibCheck: they drop out of that row.
          const checked = await check(code, tsc, skipLibCheck).catch(() => undefined);
          if (checked) (measured[name] ??= []).push(checked.seconds);
        }
      }
      rows.push({
        title: `tsc on 20 lines, ${compiler}, skipLibCheck ${skipLibCheck ? 'on' : 'off'}`,
        unit: 's',
        figures: compare(measured),
        goal: 'below Stripe, OpenAI and Octokit',
        limits: [{ who: 'marketplace-seller-sdk', below: ['Stripe', 'OpenAI', 'Octokit'] }],
      });
    }
  }
  return rows;
}
