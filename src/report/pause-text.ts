import { isBudget, type PauseReason } from '../core/run/pause-reason.js';
import type { RunConfig } from '../core/run/run-config.schema.js';
import { dollars } from './quantities.js';

type Budgets = Pick<
  RunConfig,
  'budgetTokens' | 'budgetUsd' | 'groupBudgetTokens' | 'groupBudgetUsd' | 'deadGroups'
>;

/** Why a run is paused, in words; null where a person has paused it, who knows. */
export function pauseNote(
  reason: PauseReason | null,
  config: Budgets,
  detail: string | null | undefined = null,
): string | null {
  switch (reason) {
    case null:
    case 'person':
      return null;
    case 'token_budget':
      return `its budget of ${tokens(config.budgetTokens)} leaves no room for a call`;
    case 'cost_budget':
      return `its budget of ${dollars(config.budgetUsd)} leaves no room for a call`;
    case 'group_budget':
      return `all that is left waits for the budgets of its tasks (${groupBudget(config)} each)`;
    case 'dead_groups':
      return `${config.deadGroups ?? 'many'} groups in a row ended without a single score`;
    case 'sink_failed':
      return `a sink cannot go on${detail == null ? '' : ` (${detail})`}`;
    case 'group_failed':
      return `the workflow of a group has failed${detail == null ? '' : ` (${detail})`}`;
  }
}

/** What to do about it, a line that ends in a command. */
export function pauseAdvice(runId: string, reason: PauseReason, config: Budgets): string {
  if (reason === 'sink_failed')
    return `put right what is wrong, then go on with: longrun runs resume ${runId}`;
  if (reason === 'group_failed')
    return `its sinks wait for that group; carry it on with: longrun runs recover ${runId}`;
  return isBudget(reason)
    ? `raise it with: ${raiseCommand(runId, reason, config)}`
    : `find out why with longrun queue list --run ${runId}, then go on with: longrun runs resume ${runId}`;
}

/** The command that raises the budget that a run waits for. */
export function raiseCommand(runId: string, reason: PauseReason, config: Budgets): string {
  const { budgetTokens, budgetUsd, groupBudgetTokens, groupBudgetUsd } = config;
  const flags = {
    person: '',
    dead_groups: '',
    sink_failed: '',
    group_failed: '',
    token_budget: `--budget-tokens ${doubled(budgetTokens)}`,
    cost_budget: `--budget-usd ${doubled(budgetUsd)}`,
    group_budget:
      groupBudgetTokens === null
        ? `--group-budget-usd ${doubled(groupBudgetUsd)}`
        : `--group-budget-tokens ${doubled(groupBudgetTokens)}`,
  };
  return `longrun runs set ${runId} ${flags[reason]}`.trimEnd();
}

const tokens = (amount: number | null): string => `${(amount ?? 0).toLocaleString('en')} tokens`;
const doubled = (amount: number | null): string => String((amount ?? 0) * 2);

function groupBudget({ groupBudgetTokens, groupBudgetUsd }: Budgets): string {
  const parts = [
    groupBudgetTokens === null ? null : tokens(groupBudgetTokens),
    groupBudgetUsd === null ? null : dollars(groupBudgetUsd),
  ];
  return parts.filter((part) => part !== null).join(', ');
}
