import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** Data sets with a new schema in every row must not fill the memory. */
const MOST_SCHEMAS = 1_000;
/** Lenient about schemas: they are the tools' authors', and unknown words in them change nothing. */
const OPTIONS: Options = {
  strict: false,
  validateFormats: false,
  logger: false,
  // Two tools may carry the same $id.
  addUsedSchema: false,
};

type Schema = Record<string, unknown>;
type Check = (args: unknown) => string | null;

/** By the dialect that a schema names; tools of today mean 2020-12. */
const DIALECTS = { draft07: Ajv, draft2019: Ajv2019, draft2020: Ajv2020 } as const;
type Dialect = keyof typeof DIALECTS;

/** Checks arguments of calls against the JSON Schemas of their tools, each compiled once. */
export class ArgumentChecker {
  private readonly compiled = new Map<string, Check>();
  /** Spares the text of a schema that is the very same object. */
  private readonly bySchema = new WeakMap<Schema, Check>();
  private readonly instances = new Map<Dialect, Ajv>();
  /** Tools whose schema cannot be compiled, with the reason: their arguments pass unchecked. */
  readonly uncheckable = new Map<string, string>();

  /** What is wrong with the arguments, or null. */
  problem(tool: string, schema: Schema, args: unknown): string | null {
    const known = this.bySchema.get(schema);
    if (known) return known(args);
    const check = this.checkOf(tool, schema);
    this.bySchema.set(schema, check);
    return check(args);
  }

  private checkOf(tool: string, schema: Schema): Check {
    const text = JSON.stringify(schema);
    const known = this.compiled.get(text);
    if (known) return known;
    if (this.compiled.size >= MOST_SCHEMAS) {
      this.compiled.clear();
      this.instances.clear();
    }
    const check = this.compile(tool, { ...schema, $async: undefined });
    this.compiled.set(text, check);
    return check;
  }

  private compile(tool: string, schema: Schema): Check {
    const dialect = dialectOf(schema);
    let why = '';
    for (const ajv of [this.instanceOf(dialect), new DIALECTS[dialect](OPTIONS)]) {
      try {
        const validate: ValidateFunction = ajv.compile(schema);
        return (args) => (validate(args) ? null : describe(validate.errors?.[0]));
      } catch (error) {
        // Names inside two schemas may clash: one that nothing was compiled with before has the last word.
        why = (error as Error).message;
      }
    }
    this.uncheckable.set(tool, why);
    return () => null;
  }

  private instanceOf(dialect: Dialect): Ajv {
    const made = this.instances.get(dialect) ?? new DIALECTS[dialect](OPTIONS);
    this.instances.set(dialect, made);
    return made;
  }
}

function dialectOf({ $schema }: Schema): Dialect {
  if (typeof $schema !== 'string') return 'draft2020';
  if (/draft-0[67]/.test($schema)) return 'draft07';
  return $schema.includes('2019-09') ? 'draft2019' : 'draft2020';
}

function describe(error: ErrorObject | undefined): string {
  const where = error?.instancePath ? `${error.instancePath} ` : '';
  const extra = error?.keyword === 'additionalProperties' ? ` "${error.params.additionalProperty}"` : '';
  const choices = error?.keyword === 'enum' ? `: ${JSON.stringify(error.params.allowedValues)}` : '';
  return `${where}${error?.message ?? 'does not fit the schema'}${extra}${choices}`;
}
