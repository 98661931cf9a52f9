// The anchors of headings, and the links that lead to them.

/** Returns the anchor of a heading, as repository hosts create it, so that a link works there and on the site. */
export function anchorOf(heading: string): string {
  const kept = heading.replace(/[^\p{L}\p{N}_ -]/gu, '');
  return kept.toLowerCase().replaceAll(' ', '-');
}

/** Returns the headings of a Markdown document and their anchors, in its order. A repeated anchor gets a number. */
export function headingsOf(markdown: string): { heading: string; anchor: string }[] {
  const text = markdown.replace(/^(```+)[\s\S]*?^\1/gm, '');
  const repeats = new Map<string, number>();
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => {
    const heading = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    const plain = anchorOf(heading);
    let anchor = plain;
    let repeat = repeats.get(plain) ?? 0;
    while (repeats.has(anchor)) anchor = `${plain}-${++repeat}`;
    repeats.set(plain, repeat).set(anchor, repeats.get(anchor) ?? 0);
    return { heading, anchor };
  });
}

/**
 * Replaces the heading that a link names, such as `notifications.md#FetchHandler`, by the anchor of this heading.
 *
 * @param pages The pages that links lead to, by their path in links. A link without a path leads to the page `''`.
 */
export function withAnchors(text: string, pages: ReadonlyMap<string, string>): string {
  const known = new Map<string, string>();
  for (const [path, page] of pages) {
    for (const { heading, anchor } of headingsOf(page)) known.set(`](${path}#${heading})`, `](${path}#${anchor})`);
  }
  return text.replace(/\]\([^)\s#]*#[^)\s]+\)/g, (link) => known.get(link) ?? link);
}
