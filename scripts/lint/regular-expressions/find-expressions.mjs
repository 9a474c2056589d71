import { parse } from '@babel/parser';

/** Beside an expression that is let through: the reason why its text is short or trusted. */
const REASON = /\bNot proved linear: *(\S[^\n]*)/;

/**
 * Every regular expression of a TypeScript file, written as a literal or given to `RegExp`: its line, its source and
 * flags (null where only a running program knows them), and the reason that stands beside it, if any.
 */
export function findExpressions(code) {
  const { program, comments } = parse(code, { sourceType: 'module', plugins: ['typescript'] });
  const reasons = reasonsByLine(comments);
  const constants = constantsOf(program);
  const found = [];
  walk(program, (node) => {
    if (node.type === 'RegExpLiteral') found.push({ node, source: node.pattern, flags: node.flags });
    else if (makesExpression(node)) found.push({ node, parts: node.arguments });
  });
  return found
    .sort((a, b) => a.node.start - b.node.start)
    .map(({ node, parts, ...literal }) => ({
      line: node.loc.start.line,
      reason: reasons.get(node.loc.start.line) ?? null,
      ...(parts ? evaluated(parts, constants) : literal),
    }));
}

const makesExpression = (node) =>
  (node.type === 'NewExpression' || node.type === 'CallExpression') && node.callee.name === 'RegExp';

/** The constants at the top of a file: name → what they are set to. */
function constantsOf({ body }) {
  const constants = new Map();
  for (const statement of body) {
    const { kind, declarations } = statement.declaration ?? statement;
    if (kind === 'const') for (const { id, init } of declarations) constants.set(id.name, init);
  }
  return constants;
}

/** A reason counts for its own line and for the one below. */
function reasonsByLine(comments) {
  const reasons = new Map();
  for (const { value, loc } of comments) {
    const reason = REASON.exec(value)?.[1].trim();
    if (reason) for (const line of [loc.start.line, loc.end.line + 1]) reasons.set(line, reason);
  }
  return reasons;
}

function evaluated([pattern, flags], constants) {
  const values = [textOf(pattern, constants), flags === undefined ? '' : textOf(flags, constants)];
  const [source, knownFlags] = values.includes(null) ? [null, null] : values;
  return { source, flags: knownFlags };
}

/** The text that an expression always has, by literals and constants of its file alone; null without one. */
function textOf(node, constants) {
  switch (node?.type) {
    case 'StringLiteral':
      return node.value;
    case 'Identifier':
      return textOf(constants.get(node.name), constants);
    case 'BinaryExpression':
      return node.operator === '+' ? joined([node.left, node.right], constants) : null;
    case 'TemplateLiteral': {
      const values = node.expressions.map((part) => textOf(part, constants));
      if (values.includes(null)) return null;
      return node.quasis.map(({ value }, index) => value.cooked + (values[index] ?? '')).join('');
    }
    case 'MemberExpression': {
      const owner = node.object.type === 'Identifier' ? constants.get(node.object.name) : node.object;
      return node.property.name === 'source' && owner?.type === 'RegExpLiteral' ? owner.pattern : null;
    }
    default:
      return null;
  }
}

function joined(nodes, constants) {
  const texts = nodes.map((node) => textOf(node, constants));
  return texts.includes(null) ? null : texts.join('');
}

function walk(node, visit) {
  visit(node);
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child?.type === 'string' && child.loc) walk(child, visit);
}
