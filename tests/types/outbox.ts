import { createOutbox } from 'marketplace-seller-sdk/outbox';
import type { Job, Outbox, OutboxOptions, Step, StoredJob } from 'marketplace-seller-sdk/outbox';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { expectTypeOf } from 'vitest';

declare const outbox: Outbox;
declare const options: OutboxOptions;

const [key, user_id, pack_id] = ['invoice-42', 7, 2000];
const text = 'Here is your invoice.';
const to = { user_id: 31 };
const upload = endpoints.messages.upload;
const send = endpoints.messages.send;

// A job is a call, a contact, or steps; the order of its fields does not matter.
export const jobs = [
  outbox.add({ key, user_id, endpoint: send, input: { pack_id, user_id, to, text } }),
  outbox.add({ input: { text, to, user_id, pack_id }, endpoint: send, user_id, key }),
  outbox.add({ key, user_id, contact: { pack_id, user_id, text } }),
  outbox.add({
    steps: [
      { endpoint: upload, input: { site_id: 'MLA', file: 'invoice.pdf' } },
      { input: { site_id: 'MLA', file: 'terms.pdf' }, endpoint: upload },
      { contact: { pack_id, user_id, text } },
      { endpoint: send, input: { pack_id, user_id, to, text } },
    ],
    user_id,
    key,
  }),
];

// Steps that a program collects in a list of its own.
const collected: Step[] = [{ contact: { pack_id, user_id, text } }];
collected.push({ endpoint: endpoints.questions.answer, input: { question_id: 1, text } });
void outbox.add({ key, user_id, steps: collected });

// Jobs that a program builds elsewhere, of several kinds.
const built: Job = { key, user_id, contact: { pack_id, user_id, text } };
void outbox.add(built);
const several = [
  { key: 'one', user_id, endpoint: send, input: { pack_id, user_id, to, text } },
  { key: 'two', user_id, contact: { pack_id, user_id, text } },
];
for (const each of several) void outbox.add(each);

// Each input is checked, in a call and in each step.
void outbox.add({
  key,
  user_id,
  endpoint: send,
  // @ts-expect-error a message needs a text
  input: { pack_id, user_id, to },
});
void outbox.add({
  key,
  user_id,
  // @ts-expect-error a contact needs a text
  contact: { pack_id, user_id },
});
void outbox.add({
  key,
  user_id,
  steps: [
    {
      endpoint: upload,
      // @ts-expect-error an upload needs a site
      input: { file: 'invoice.pdf' },
    },
    { contact: { pack_id, user_id, text } },
  ],
});
void outbox.add({
  key,
  user_id,
  steps: [
    { endpoint: upload, input: { site_id: 'MLA', file: 'invoice.pdf' } },
    {
      endpoint: send,
      // @ts-expect-error a message needs a text
      input: { pack_id, user_id, to },
    },
  ],
});
void outbox.add({
  key,
  user_id,
  steps: [
    { endpoint: upload, input: { site_id: 'MLA', file: 'invoice.pdf' } },
    {
      endpoint: send,
      // @ts-expect-error a misspelt field
      input: { pack_id, user_id, to, text, attachment: [] },
    },
  ],
});
void outbox.add({
  key,
  user_id,
  steps: [
    {
      // @ts-expect-error a misspelt field
      contact: { pack_id, user_id, text, attachment: [] },
    },
  ],
});
// @ts-expect-error a call needs an input
void outbox.add({ key, user_id, endpoint: send });
// @ts-expect-error a job needs a key
void outbox.add({ user_id, contact: { pack_id, user_id, text } });
// @ts-expect-error a job has one write, or steps
void outbox.add({
  key,
  user_id,
  contact: { pack_id, user_id, text },
  steps: [{ contact: { pack_id, user_id, text } }],
});
void outbox.add({
  key,
  user_id,
  // @ts-expect-error a step is a call, or a contact
  steps: [{ endpoint: send, input: { pack_id, user_id, to, text }, contact: { pack_id, user_id, text } }],
});

// The pack of a job that a person has to look at needs no cast.
declare function show(pack: number | string | undefined): void;
export const told = createOutbox({
  ...options,
  onFailure: ({ entry, dead }) => dead && show(entry.pack_id),
  onRejection: ({ entry }) => show(entry.pack_id),
});
for (const { entry } of await outbox.deadLetters.list()) show(entry.pack_id);
for (const { entry } of await outbox.rejected.list()) show(entry.pack_id);
expectTypeOf<StoredJob['pack_id']>().toEqualTypeOf<number | string | undefined>();
