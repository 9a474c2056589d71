import { expect, it } from 'vitest';
import { carryOnCommand } from '../../src/cli/carry-on.js';

it('repeats what was given, quoted for a shell, with the id of the run', () => {
  const flags = {
    environment: "./it's mine",
    model: 'm',
    task: ['a*', 'b'],
    json: true,
    output: './out',
    failUnder: '0.6',
  };
  expect(carryOnCommand(flags, 'r-1')).toBe(
    `longrun evaluate './it'\\''s mine' --model m --task 'a*' --task b --run-id r-1 --output ./out --fail-under 0.6 --json`,
  );
});
