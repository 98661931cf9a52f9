/** Fields whose text a person wrote, or that identify a person. */
const personal = new Set([
  ...[
    'text',
    'plain',
    'title',
    'nickname',
    'name',
    'subject',
    'address_line',
    'filename',
    'original_filename',
    'label',
  ],
  ...['first_name', 'last_name', 'email', 'phone', 'zip_code', 'street_name', 'comment', 'q', 'query_text'],
]);
const secrets = /token|secret|password|authorization|^code$|code_verifier|cookie/i;

const email = /(?<![\w.+-])[\w.+-]{1,64}@[\w.-]{1,255}/g;
const phone = /\+?\d[\d\s().-]{6,}\d/g;
const bearer = /\b(?:APP_USR|TG|TEST)-[\w-]+/g;

/** Returns a JSON value without tokens, texts of people, e-mail addresses and phone numbers. Lengths are kept. */
export function redact(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => redact(each, name));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, redact(field, key)]));
  if (typeof value !== 'string') return value;
  if (secrets.test(name)) return '***';
  return personal.has(name) ? masked(value) : redactText(value);
}

/** Masks what identifies a person in a text. An id is digits only, and stays. */
export function redactText(text: string): string {
  const masks = text.replace(bearer, '***').replace(email, '***@***');
  return /^\d+$/.test(masks) || isTimestamp(masks) ? masks : masks.replace(phone, maskPhone);
}

function maskPhone(found: string): string {
  return /^\d+$/.test(found) || isTimestamp(found) ? found : found.replace(/\d/g, '0');
}

function isTimestamp(text: string): boolean {
  return /^\d{4}-\d\d-\d\d/.test(text);
}

/** Keeps the length of a text, because texts have limits, and whether it is empty. */
function masked(text: string): string {
  return Array.from(text, (character) => (/\s/.test(character) ? character : 'x')).join('');
}
