// What a call costs that goes through ky and is validated by zod, and does nothing else: the floor of this library's
// figures. Both are used as they are published.
import ky from 'ky';
import * as z from 'zod/mini';

const maybe = <T extends z.ZodMiniType>(schema: T): z.ZodMiniOptional<z.ZodMiniNullable<T>> =>
  z.optional(z.nullable(schema));

const describe = () => {
  const text = maybe(z.string());
  const from = z.looseObject({ id: z.int(), answered_questions: maybe(z.int()) });
  const answer = z.looseObject({ text, status: text, date_created: text });
  return z.looseObject({
    id: z.int(),
    seller_id: maybe(z.int()),
    item_id: text,
    text,
    status: text,
    from: maybe(from),
    answer: maybe(answer),
  });
};

let question: ReturnType<typeof describe> | undefined;
let questions: z.ZodMiniType | undefined;

const quiet = { retry: 0, timeout: false, throwHttpErrors: false } as const;

/** One call within a time limit; `token` is sent. */
async function ask(url: string, token: string): Promise<unknown> {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort();
  }, 30_000);
  const init: RequestInit = {
    headers: { accept: 'application/json', authorization: `Bearer ${token}` },
    redirect: 'error',
    signal: controller.signal,
  };
  try {
    const response = await ky(url, { ...quiet, ...init });
    return JSON.parse(await response.text()) as unknown;
  } finally {
    clearTimeout(timer);
  }
}

export const one = async (baseUrl: string, token: string): Promise<unknown> =>
  (question ??= describe()).parse(await ask(`${baseUrl}/questions/42`, token));

export const page = async (baseUrl: string, token: string): Promise<unknown> =>
  (questions ??= z.looseObject({ questions: z.array(describe()) })).parse(
    await ask(`${baseUrl}/questions/search?seller_id=7`, token),
  );
