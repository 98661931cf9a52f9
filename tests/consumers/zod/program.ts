// A program whose own zod schemas contain schemas of this package, without a cast.
import { contactTotal, endpoints, question } from 'marketplace-seller-sdk/schemas';
import * as z from 'zod';

const { user_id } = contactTotal.shape;
const stored = z.object({ question, history: z.array(question), duplicate: z.optional(question), user_id });
type Stored = z.infer<typeof stored>;

const read: Stored = stored.parse({ question: { id: '42', text: 'Hay stock?' }, history: [{ id: 1 }] });
const id: number = read.question.id;
const text: string | null | undefined = read.history[0]?.text;
// @ts-expect-error -- an id is a number
const wrong: string = read.question.id;
if (id !== 42 || text !== undefined || wrong === '42') throw new Error(JSON.stringify(read));

const { error } = stored.safeParse({ question: {}, history: [], user_id: 'x' });
const paths = error?.issues.map(({ path }) => path.join('.')).join(' ');
if (paths !== 'question.id user_id') throw new Error(paths);

const { required } = z.toJSONSchema(endpoints.questions.answer.input, { io: 'input' });
if (required?.join(' ') !== 'question_id text') throw new Error(String(required));
