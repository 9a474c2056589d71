import type { Estimator } from './group.js';
import { perMember } from './member-advantages.js';

/**
 * Pass@k with k = G: what the group's best reward owes to each member, max R − max of the others. The best
 * member gets R_max − R_2nd, all others 0. Two best ones, or one member: 0.
 * Source: Optimizing Language Models for Inference Time Objectives, arXiv 2503.19595, §3.
 */
export const passK: Estimator = (groups) =>
  groups.map((group) =>
    perMember(group, ({ reward }, scored) => {
      if (scored.length < 2) return 0;
      const [best, second] = scored.map((member) => member.reward).sort((a, b) => b - a) as [number, number];
      return reward === best ? best - second : 0;
    }),
  );
