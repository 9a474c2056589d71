import { type Ceiling, isUnlimited, type Tally } from '../../core/budget/budget.js';
import { type BudgetSettings, ceilingsOf } from '../../core/budget/budget-ceilings.js';
import type { BudgetKeeper } from '../../core/budget/budget-keeper.js';
import { Purse } from '../../core/budget/purse.js';
import { type Kept, KeptPerScope } from '../../core/held/kept.js';
import { type BudgetName, budgetId, type RolloutKey } from '../../core/ids.js';
import { type Clock, SECOND_MS } from '../../core/time.js';
import { BudgetShare, SHARE_RENEW_MS } from './budget-share.js';
import { CallBudget, type CallCeilings } from './call-budget.js';

/** Read at most once a second for the slices that begin; a refusal reads them again in any case. */
const LIMITS_FRESH_MS = SECOND_MS;
const UNLIMITED: CallCeilings = { rollout: null, group: null, run: null };

export interface BudgetsParts {
  hostId: string;
  /** The settings as they are now, and which amendment they are at. */
  readLimits(runId: string): Promise<{ config: BudgetSettings; version: number }>;
  /** Spent by a run, or on one task of it, according to the records. */
  spentSoFar(budget: BudgetName): Promise<Tally>;
  spentOnRollout(key: RolloutKey): Promise<Tally>;
  keeperOf(budget: BudgetName, spentSoFar: () => Promise<Tally>): BudgetKeeper;
  onTrouble(error: unknown): void;
  newId(): string;
  now: Clock;
}

interface KnownLimits {
  ceilings: ReturnType<typeof ceilingsOf>;
  version: number;
  readAt: number;
}

/** The budgets of the runs this process works on. Runs without ceilings cost nothing here. */
export class RunBudgets {
  /** By `budgetId`. */
  private readonly shares: KeptPerScope<BudgetShare>;
  private readonly limits = new KeptPerScope<KnownLimits>();
  private renewing: NodeJS.Timeout | null = null;

  constructor(private readonly parts: BudgetsParts) {
    this.shares = new KeptPerScope((share) => share.leave().catch(parts.onTrouble));
  }

  get kept(): Record<'budgetShares' | 'budgetLimits', Kept> {
    return { budgetShares: this.shares, budgetLimits: this.limits };
  }

  /** What the calls of a rollout must fit under. */
  async of(key: RolloutKey, config: BudgetSettings): Promise<CallBudget> {
    if (Object.values(ceilingsOf(config)).every(isUnlimited)) return new CallBudget(UNLIMITED);
    const limits = await this.readLimits(key.runId, LIMITS_FRESH_MS);
    const ceilings = await this.ceilingsAt(key, limits);
    let { version } = limits;
    return new CallBudget(ceilings, async () => {
      const now = await this.readLimits(key.runId, 0);
      if (now.version === version) return false;
      version = now.version;
      Object.assign(ceilings, await this.ceilingsAt(key, now, ceilings.rollout));
      return true;
    });
  }

  /** Gives this process's shares of a run's budgets back, as far as nothing is in flight. */
  async leave(runId: string): Promise<void> {
    for (const name of [...this.shares.scopes()])
      if (name === runId || name.startsWith(`${runId}/`)) await this.shares.letGo(name);
    await this.limits.letGo(runId);
  }

  close(): void {
    if (this.renewing !== null) clearInterval(this.renewing);
    this.renewing = null;
  }

  private share(budget: BudgetName, ceiling: Ceiling, version: number): BudgetShare | null {
    if (isUnlimited(ceiling)) return null;
    const share = this.shares.of(budgetId(budget), () => {
      const spentSoFar = () => this.parts.spentSoFar(budget);
      const { hostId: host, newId, now } = this.parts;
      const keeper = this.parts.keeperOf(budget, spentSoFar);
      return new BudgetShare({ host, keeper, spentSoFar, newId, now }, { ceiling, version });
    });
    this.renewing ??= setInterval(() => void this.renew(), SHARE_RENEW_MS).unref();
    share.current = { ceiling, version };
    return share;
  }

  private async ceilingsAt(
    key: RolloutKey,
    { ceilings, version }: KnownLimits,
    purse: Purse | null = null,
  ): Promise<CallCeilings> {
    const { runId, taskId } = key;
    return {
      rollout: await this.purse(key, ceilings.rollout, purse),
      group: this.share({ runId, taskId }, ceilings.group, version),
      run: this.share({ runId, taskId: null }, ceilings.run, version),
    };
  }

  /** A rollout has one executor: what its calls take is counted here alone. */
  private async purse(key: RolloutKey, ceiling: Ceiling, known: Purse | null): Promise<Purse | null> {
    if (isUnlimited(ceiling)) return null;
    if (known === null) return new Purse(ceiling, await this.parts.spentOnRollout(key));
    known.ceiling = ceiling;
    return known;
  }

  private async readLimits(runId: string, freshMs: number): Promise<KnownLimits> {
    const known = this.limits.get(runId);
    const readAt = this.parts.now();
    if (known && readAt - known.readAt < freshMs) return known;
    const { config, version } = await this.parts.readLimits(runId);
    const fresh: KnownLimits = { ceilings: ceilingsOf(config), version, readAt };
    this.limits.set(runId, fresh);
    return fresh;
  }

  private async renew(): Promise<void> {
    for (const share of this.shares.values()) await share.renew().catch(this.parts.onTrouble);
  }
}
