import { parse } from '@babel/parser';

/** What a TypeScript file imports or exports from elsewhere, types and dynamic imports included: specifiers and their lines. */
export function findImports(code) {
  const { program } = parse(code, { sourceType: 'module', plugins: ['typescript'] });
  const found = [];
  walk(program, (node) => {
    const source = sourceOf(node);
    if (source?.type === 'StringLiteral') found.push({ specifier: source.value, line: node.loc.start.line });
  });
  return found;
}

function sourceOf(node) {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
      return node.source;
    case 'TSImportType':
      return node.argument.type === 'TSLiteralType' ? node.argument.literal : node.argument;
    case 'CallExpression':
      return node.callee.type === 'Import' ? node.arguments[0] : null;
    default:
      return null;
  }
}

function walk(node, visit) {
  if (Array.isArray(node)) for (const part of node) walk(part, visit);
  else if (node !== null && typeof node?.type === 'string') {
    visit(node);
    for (const [key, part] of Object.entries(node))
      if (key !== 'loc' && typeof part === 'object') walk(part, visit);
  }
}
