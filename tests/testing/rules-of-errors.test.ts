import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allEndpoints } from '../../src/testing/http/all-endpoints.js';
import { errorResponse } from '../../src/testing/http/handler.js';
import { ruleOf } from '../../src/testing/dashboard/documented-rules.js';

const fallback = 'Errors: standard body';

test('every documented 4xx of every endpoint names the row of its section', () => {
  const documented = allEndpoints.flatMap((endpoint) =>
    endpoint.errors
      .filter(({ status }) => status < 500)
      .map((error) => {
        const { status, body } = errorResponse(error);
        return {
          error: `${endpoint.name}: ${error.message}`,
          rule: ruleOf(status, endpoint.name, JSON.stringify(body)),
        };
      }),
  );
  expect(documented.length).toBeGreaterThan(80);
  expect(documented.filter(({ rule }) => rule === null || rule === fallback)).toEqual([]);
  // Two errors of one endpoint have one rule only where the specification has one row for both.
  const kinds = new Set(documented.map(({ error, rule }) => `${error.split(':')[0]} ${rule}`));
  expect(documented.length - kinds.size).toBeLessThanOrEqual(2);
});

test.each([
  [
    400,
    'messages.send',
    'The text is longer than 350 characters',
    'Errors, Create message: text longer than 350 characters',
  ],
  [400, 'messages.upload', 'The file is larger than 25 MB', 'Errors, Attachments: file larger than 25 MB'],
  [
    404,
    'messages.get',
    'There is no resource /messages/1 without the query parameter tag=post_sale',
    'Live service: tag=post_sale on every /messages call',
  ],
  [403, 'questions.ask', 'The seller has blocked this user', /Questions blacklist: a blocked user cannot ask/],
  [401, 'questions.delete', 'Access token is required', /Authentication 2/],
  [429, 'currencies.list', 'Too many requests', 'Limits: Rate limits'],
  [404, null, 'There is no resource /nowhere', 'Endpoints: the path'],
  [418, 'currencies.list', 'A teapot', fallback],
  [200, 'messages.send', 'The text is longer than 350 characters', null],
  [500, 'messages.send', 'The text is longer than 350 characters', null],
])('%i of %s with "%s" follows %s', (status, endpoint, message, rule) => {
  const found = ruleOf(status, endpoint, JSON.stringify({ message }));
  if (rule === null || typeof rule === 'string') expect(found).toBe(rule);
  else expect(found).toMatch(rule);
});

// They are no part of the package: what a user reads says what is meant.
test('no rule of an error names the notes about the live service', () => {
  const sections = allEndpoints.flatMap(({ errors }) => errors.map(({ section }) => section));
  expect(sections.filter((section) => /notes/i.test(section ?? ''))).toEqual([]);
});

test('the notes are named only in comments of what responds, which no user reads', () => {
  const root = join(import.meta.dirname, '../../src');
  const isInternal = /^testing\/(?:handlers|http|seed\/sample|router)/;
  const others = globSync('**/*.{ts,js,html}', { cwd: root }).filter((path) => !isInternal.test(path));
  expect(others.filter((path) => readFileSync(join(root, path), 'utf8').includes('Wire notes'))).toEqual([]);
});
