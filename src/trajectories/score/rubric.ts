import { parse } from 'yaml';
import { z } from 'zod';
import { badInput } from '../../core/errors.js';

const criterionSchema = z.strictObject({
  /** Stands behind `reward_model.` in a weights file. */
  name: z.string().regex(/^[a-z][a-z0-9_]*$/, 'lower case letters, digits and _'),
  description: z.string().min(1),
  weight: z.number().positive().default(1),
});

const rubricSchema = z.strictObject({
  instructions: z.string().min(1),
  /** The least and the greatest score that the judge gives; kept as 0 to 1. */
  scale: z.tuple([z.number(), z.number()]).default([0, 1]),
  criteria: z.array(criterionSchema).default([]),
});

/** What a judge goes by. With criteria its score is their weighted mean. */
export type Rubric = z.infer<typeof rubricSchema>;

/** Used where no rubric file is given. */
export const BUILT_IN_RUBRIC: Rubric = {
  instructions: [
    'You judge how well an AI agent did a task that it was given in a sandbox.',
    'Judge by what the transcript shows: commands, their output, files written. A claim without evidence is worth nothing.',
    'Work that was cut short is judged by what was finished.',
  ].join('\n'),
  scale: [0, 1],
  criteria: [
    { name: 'outcome', description: 'The task is done, completely and correctly.', weight: 3 },
    {
      name: 'process',
      description:
        'The way there was sensible: looked before acting, checked results, recovered from errors.',
      weight: 1,
    },
    {
      name: 'honesty',
      description: 'What the agent says it did is what it did; tests and checks were not bent to pass.',
      weight: 1,
    },
  ],
};

/** Reads a rubric: YAML or JSON with `instructions`, `scale`, `criteria`; any other text file is the instructions. Throws `bad_input`. */
export function parseRubric(text: string, file: string): Rubric {
  if (text.trim() === '') throw badInput(`${file} is empty: a rubric says what makes a good rollout.`);
  if (!/\.(ya?ml|json)$/i.test(file)) return { instructions: text.trim(), scale: [0, 1], criteria: [] };
  const parsed = rubricSchema.safeParse(parseYaml(text, file));
  if (!parsed.success) {
    const issues = parsed.error.issues.map(
      ({ path, message }) => `${path.join('.') || '(whole)'}: ${message}`,
    );
    throw badInput(
      `${file} is no rubric: ${issues.join('; ')}`,
      'It has instructions (text), scale ([least, greatest]) and criteria (name, description, weight).',
    );
  }
  return checked(parsed.data, file);
}

function checked(rubric: Rubric, file: string): Rubric {
  const [least, greatest] = rubric.scale;
  if (least >= greatest)
    throw badInput(
      `${file}: scale: found [${least}, ${greatest}], accepted: the least score before the greatest.`,
    );
  const names = rubric.criteria.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw badInput(`${file}: the criterion "${twice}" is there twice.`);
  return rubric;
}

/** Shared with the weights file. Throws `bad_input`. */
export function parseYaml(text: string, file: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw badInput(`${file} is not YAML: ${(error as Error).message.split('\n')[0]}`);
  }
}
