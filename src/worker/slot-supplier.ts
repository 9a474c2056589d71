import type { ActivitySlotInfo, CustomSlotSupplier, SlotPermit } from '@temporalio/worker';
import type { SlotLedger } from '../core/host/slot-ledger.js';

/** Polls for placements only while the ledger has room: a full host simply stops asking. */
export function ledgerSlotSupplier(ledger: SlotLedger): CustomSlotSupplier<ActivitySlotInfo> {
  return {
    type: 'custom',
    async reserveSlot(_context, signal): Promise<SlotPermit> {
      await ledger.reserve(signal);
      return {};
    },
    tryReserveSlot: () => (ledger.tryReserve() ? {} : null),
    markSlotUsed: () => undefined,
    releaseSlot: () => ledger.release(),
  };
}
