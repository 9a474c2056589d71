import type {
  Bash,
  CommandNode,
  PipelineNode,
  ScriptNode,
  SimpleCommandNode,
  StatementNode,
} from 'just-bash';

type Redirection = SimpleCommandNode['redirections'][number];
type Transform = Parameters<Bash['registerTransformPlugin']>[0];

/**
 * Sends the output of each statement to `path` as it is produced. The interpreter itself answers output
 * only at the end of a script, stdout apart from stderr, and none at all when the script is cut short.
 */
export function redirectOutput(path: string): Transform {
  return {
    name: 'redirect-output',
    transform: ({ ast, metadata }) => ({ ast: redirectScript(ast, path), metadata }),
  };
}

function redirectScript(ast: ScriptNode, path: string): ScriptNode {
  // After `exec >file` the script has an output of its own, which must not be overridden.
  const end = ast.statements.findIndex(redirectsShell);
  const reach = end < 0 ? ast.statements.length : end;
  const statements = ast.statements.map((statement, index) =>
    index < reach ? redirectStatement(statement, path) : statement,
  );
  return { ...ast, statements };
}

function redirectsShell(statement: StatementNode): boolean {
  const commands = statement.pipelines.flatMap((pipeline) => pipeline.commands);
  return commands.some((command) => isExec(command) && command.redirections.length > 0);
}

function redirectStatement(statement: StatementNode, path: string): StatementNode {
  return { ...statement, pipelines: statement.pipelines.map((pipeline) => redirectPipeline(pipeline, path)) };
}

function redirectPipeline(pipeline: PipelineNode, path: string): PipelineNode {
  const last = pipeline.commands.length - 1;
  const commands = pipeline.commands.map((command, index) => {
    if (index < last)
      return pipeline.pipeStderr?.[index] ? command : withRedirections(command, [append(2, path)]);
    const streamed = last === 0 ? redirectBody(command, path) : command;
    return withRedirections(streamed, [append(1, path), append(2, path)]);
  });
  return { ...pipeline, commands };
}

/** Loops and branches pass the redirection on, so that what they print arrives before they end. */
function redirectBody(command: CommandNode, path: string): CommandNode {
  const body = (statements: StatementNode[]) =>
    statements.map((statement) => redirectStatement(statement, path));
  if ('redirections' in command && command.redirections.length > 0) return command;
  switch (command.type) {
    case 'For':
    case 'CStyleFor':
    case 'While':
    case 'Until':
    case 'Group':
      return { ...command, body: body(command.body) };
    case 'If': {
      const clauses = command.clauses.map((clause) => ({ ...clause, body: body(clause.body) }));
      return { ...command, clauses, elseBody: command.elseBody && body(command.elseBody) };
    }
    default:
      return command;
  }
}

function withRedirections(command: CommandNode, added: Redirection[]): CommandNode {
  if (command.type === 'FunctionDef' || isExec(command)) return command;
  // `x=$(…)` has no redirections of its own to hang this on: what the substitution says on stderr would be lost.
  if (command.type === 'SimpleCommand' && command.name === null) return group(command, added);
  // First in the list, so that the script's own redirections win.
  return { ...command, redirections: [...added, ...command.redirections] };
}

function group(command: CommandNode, redirections: Redirection[]): CommandNode {
  const pipeline: PipelineNode = { type: 'Pipeline', commands: [command], negated: false };
  const statement: StatementNode = {
    type: 'Statement',
    pipelines: [pipeline],
    operators: [],
    background: false,
  };
  return { type: 'Group', body: [statement], redirections };
}

/** `exec 3>file` changes the shell for good: a redirection added to it would too. */
function isExec(command: CommandNode): boolean {
  const part = command.type === 'SimpleCommand' ? command.name?.parts[0] : undefined;
  return part?.type === 'Literal' && part.value === 'exec';
}

function append(fd: number, path: string): Redirection {
  const target: Redirection['target'] = { type: 'Word', parts: [{ type: 'Literal', value: path }] };
  return { type: 'Redirection', fd, operator: '>>', target };
}
