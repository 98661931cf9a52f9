// A page for each program in examples/, written from its text.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programPage } from '../../tools/pages.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const names = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' });
const programs = names.filter((name) => name.endsWith('.ts')).map((name) => `examples/${name.replaceAll('\\', '/')}`);

export default {
  paths: () =>
    programs.map((file) => ({
      params: { name: file.slice('examples/'.length, -'.ts'.length) },
      content: programPage(file, readFileSync(join(root, file), 'utf8')),
    })),
};
