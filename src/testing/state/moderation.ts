import type { ModerationReason } from '../../resources/post-sale/message.js';

const shortLinks = /\b(bit\.ly|tinyurl\.com|goo\.gl|t\.co|ow\.ly|is\.gd|cutt\.ly|rb\.gy)\b/i;
const socialNetworks =
  /\b(facebook|instagram|whats ?app|telegram|tiktok|twitter|linkedin)\b|\b(fb\.me|wa\.me|t\.me)\b|(^|\s)@[a-z_]\w{2,}/i;
const email = /[\w.+-]+@[\w-]+\.[a-z]{2,}/i;
const phone = /(?:\+|\b)\d[\d\s().-]{6,}\d\b/g;
const payment = /\b(paypal|bizum|western union|cbu|pix)\b/i;
const evasion = /\b(cancel|close|withdraw) (the|your) claim\b|\bcerr(ar|á|e) el reclamo\b/i;
const foul = /\b(idiot|stupid|imbecile|bastard|idiota|est[uú]pid[oa]|imb[eé]cil|hijo de puta|porra|merda|mierda)\b/i;

/**
 * Returns the reason why moderation rejects a text; `undefined` when it accepts the text.
 *
 * It looks for the specification's reasons: foul language, links to social networks, short links, personal data,
 * external payment, and requests to close a claim.
 */
export function moderationOf(text: string): ModerationReason | undefined {
  if (foul.test(text)) return 'OUT_OF_PLACE_LANGUAGE';
  if (shortLinks.test(text)) return 'LINK_SHORT_URL';
  if (email.test(text) || hasPhone(text)) return 'PERSONAL_DATA';
  if (socialNetworks.test(text)) return 'SOCIAL_NETWORK_LINK';
  if (payment.test(text)) return 'MARKETPLACE_LINKS_EXTERNAL_PAYMENT';
  if (evasion.test(text)) return 'EVASION_CLAIM_SELLER';
  return undefined;
}

/** A phone number has 8 to 15 digits, with a plus sign, spaces, dots, parentheses or dashes. */
function hasPhone(text: string): boolean {
  return [...text.matchAll(phone)].some(([found]) => {
    const digits = found.replace(/\D/g, '').length;
    return digits >= 8 && digits <= 15 && /[+\s()-]/.test(found) && !/^\d{4}-\d{2}-\d{2}$/.test(found);
  });
}
