import ts from 'typescript';

/** Whether a program gives values of a type to the library, and whether it gets some. */
export interface Uses {
  readonly given: boolean;
  readonly delivered: boolean;
}

/** Finds how the types of a report are used. What is used nowhere may be given and delivered. */
export function usesIn(declarations: ReadonlyMap<string, readonly ts.Node[]>): (name: string) => Uses {
  const found = { given: new Set<string>(), delivered: new Set<string>() };
  const follow = (name: string, use: keyof Uses): void => {
    if (found[use].has(name)) return;
    found[use].add(name);
    for (const each of declarations.get(name) ?? []) visit(each, use);
  };
  const visit = (node: ts.Node, use: keyof Uses): void => {
    if (ts.isTypeReferenceNode(node)) follow(node.typeName.getText(), use);
    if (ts.isExpressionWithTypeArguments(node)) follow(node.expression.getText(), use);
    const inside = ts.isParameter(node) ? (use === 'given' ? 'delivered' : 'given') : use;
    node.forEachChild((child) => visit(child, inside));
  };
  for (const [name, nodes] of declarations)
    if (nodes.some((each) => !ts.isInterfaceDeclaration(each) && !ts.isTypeAliasDeclaration(each)))
      follow(name, 'delivered');
  return (name) => {
    const [given, delivered] = [found.given.has(name), found.delivered.has(name)];
    return given || delivered ? { given, delivered } : { given: true, delivered: true };
  };
}
