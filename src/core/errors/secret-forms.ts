/** Shorter secrets are not searched: they are part of other words. */
const shortest = 4;
/** Base64 of fewer characters may be chance. */
const shortestBase64 = 6;
/** The encodings of a longer text are not searched. */
const longestEncoded = 8192;

/** The spellings of secrets that are searched: as they are, in JSON, in a URL and in base64; the longest first. */
export function formsOf(secrets: readonly string[]): string[] {
  const forms = secrets.filter((secret) => secret.length >= shortest).flatMap((secret) => [secret, ...encoded(secret)]);
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

/** A text without these spellings. */
export function maskForms(text: string, forms: readonly string[], mask: string): string {
  return forms.reduce((rest, form) => rest.replaceAll(form, mask), text);
}

function encoded(secret: string): string[] {
  if (secret.length > longestEncoded) return [];
  const inJson = JSON.stringify(secret).slice(1, -1);
  const inUrl = encodeURIComponent(secret.toWellFormed());
  const lowerCaseHex = inUrl.replace(/%../g, (escape) => escape.toLowerCase());
  const inForm = new URLSearchParams([['', secret]]).toString().slice(1);
  return [inJson, inJson.replaceAll('/', '\\/'), inUrl, lowerCaseHex, inForm, ...base64Forms(secret)];
}

/** Base64 depends on how many bytes precede: `Bearer ` or a user name moves the borders of its groups. */
function base64Forms(secret: string): string[] {
  const bytes = String.fromCharCode(...new TextEncoder().encode(secret));
  const forms = [0, 1, 2].map((before) => {
    const text = btoa('\0'.repeat(before) + bytes);
    const isPartial = (before + bytes.length) % 3 !== 0;
    // The first and the last character may also encode neighbours.
    return text.slice([0, 2, 3][before], isPartial ? text.indexOf('=') - 1 : undefined);
  });
  const urlSafe = forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  return [...forms, ...urlSafe].filter((form) => form.length >= shortestBase64);
}
