import type { Episode } from '../core/trajectory/episode.schema.js';

/** An episode without a group is a group of its own. */
export const groupOf = (episode: Episode): string => episode.groupId ?? `\u0000${episode.sessionId}`;

/** Gathers episodes into whole groups, however they are mixed; holds those whose group is not complete yet. */
export class WholeGroups {
  private readonly held = new Map<string, Episode[]>();

  /** `sizes`: how many episodes each group has in the whole input. */
  constructor(private readonly sizes: ReadonlyMap<string, number>) {}

  /** The group that this episode completes, by sample; null while members are missing. */
  add(episode: Episode): Episode[] | null {
    const group = groupOf(episode);
    const members = [...(this.held.get(group) ?? []), episode];
    if (members.length < (this.sizes.get(group) ?? 1)) {
      this.held.set(group, members);
      return null;
    }
    this.held.delete(group);
    return members.sort((a, b) => (a.rollout?.sample ?? 0) - (b.rollout?.sample ?? 0));
  }
}
