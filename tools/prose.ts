import ts from 'typescript';

/** What a JSDoc comment says. */
export interface Prose {
  /** The text before the tags, one line per paragraph, without the request. */
  readonly text: string;
  /** The request that a method sends, e.g. `GET /currencies`. */
  readonly request: string | undefined;
  readonly throws: readonly { readonly error: string; readonly when: string }[];
  readonly returns: string | undefined;
  /** What `@default` says. */
  readonly defaultValue: string | undefined;
  readonly examples: readonly string[];
}

/** Reads the JSDoc before a node. */
export function proseOf(node: ts.Node): Prose {
  const comment = ts.getJSDocCommentsAndTags(node).findLast(ts.isJSDoc);
  const tags = comment?.tags ?? [];
  const named = (name: string): string[] =>
    tags.filter(({ tagName }) => tagName.text === name).map((tag) => words(tag.comment));
  const whole = paragraphs(words(comment?.comment));
  const [sentence, request] = /\s*\bRequest: ([A-Z]+ \/\S+)\.(?=\s|$)/.exec(whole) ?? [];
  return {
    text: sentence === undefined ? whole : whole.replace(sentence, '').trim(),
    request,
    throws: [...tags].filter(ts.isJSDocThrowsTag).map((tag) => ({
      error: tag.typeExpression?.type.getText() ?? '',
      when: paragraphs(words(tag.comment)),
    })),
    returns: named('returns').map(paragraphs)[0],
    defaultValue: named('default').map(paragraphs)[0],
    examples: named('example'),
  };
}

function words(comment: ts.JSDoc['comment']): string {
  return ts.getTextOfJSDocComment(comment) ?? '';
}

/** Joins the lines of each paragraph. List items stay on their own lines. */
function paragraphs(text: string): string {
  const each = text.split(/\n\s*\n/).map((paragraph) => paragraph.replace(/\n(?!\s*[-*] )\s*/g, ' ').trim());
  return each.join('\n\n');
}
