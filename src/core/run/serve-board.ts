import type { SinkName } from './serve-config.schema.js';
import type { ServeOpening, ServeState, ShiftOrders } from './workflow-messages.js';

/**
 * How far a run may go in its sequence of groups: as far as every sink says, once each has spoken, and no further
 * once it is to finish. Shifts that were opened before are opened again whatever it says: their groups may have
 * begun. Pure, so that it is tested alone.
 */
export class ServeBoard {
  /** What open shifts were told. */
  private readonly told = new Map<number, ShiftOrders>();
  private groupsOpened: number;

  constructor(
    private readonly terms: ServeOpening,
    readonly state: ServeState = { limits: {}, finishing: false },
  ) {
    this.groupsOpened = terms.opened;
  }

  /** Groups with a lower number may start. */
  get limit(): number {
    return Math.min(...this.terms.sinks.map((sink) => this.state.limits[sink] ?? 0));
  }

  /** Rollouts of all shifts that were opened. */
  get total(): number {
    return this.groupsOpened * this.terms.groupSize;
  }

  /** The newest word of a sink counts; those that run are never touched. */
  allow(sink: SinkName, limit: number): void {
    this.state.limits[sink] = limit;
  }

  finish(): void {
    this.state.finishing = true;
  }

  mayOpen(shift: number): boolean {
    const { from } = this.rangeOf(shift);
    return from < this.terms.opened || (!this.state.finishing && this.limit > from);
  }

  /** Neither this shift nor a later one will be opened. */
  isOver(shift: number): boolean {
    return this.state.finishing && this.rangeOf(shift).from >= this.terms.opened;
  }

  /** Answers what the new shift is told at its start. */
  opened(shift: number): ShiftOrders {
    this.groupsOpened = Math.max(this.groupsOpened, this.rangeOf(shift).to);
    const orders = this.ordersOf(shift);
    this.told.set(shift, orders);
    return orders;
  }

  closed(shift: number): void {
    this.told.delete(shift);
  }

  /** What some of these shifts have not been told; of a limit beyond its groups a shift need not hear. */
  takeNews(shifts: Iterable<number>): { index: number; orders: ShiftOrders }[] {
    const news: { index: number; orders: ShiftOrders }[] = [];
    for (const index of shifts) {
      const told = this.told.get(index);
      const orders = this.ordersOf(index);
      if (told === undefined || (told.limit === orders.limit && told.finishing === orders.finishing))
        continue;
      this.told.set(index, orders);
      news.push({ index, orders });
    }
    return news;
  }

  private ordersOf(shift: number): ShiftOrders {
    const { from, to } = this.rangeOf(shift);
    return { limit: Math.max(from, Math.min(to, this.limit)), finishing: this.state.finishing };
  }

  private rangeOf(shift: number): { from: number; to: number } {
    const { groupsPerShift, groups } = this.terms;
    const from = shift * groupsPerShift;
    return { from, to: Math.min(from + groupsPerShift, groups ?? Number.POSITIVE_INFINITY) };
  }
}
