const MOST_SHOWN = 20;
const SHOWN_MAX_CHARS = 200;

/** What did not go to the verifier, and why. An agent may make a hundred thousand of them: the first few are named. */
export class LeftOut {
  private readonly shown: string[] = [];
  private total = 0;

  /** `path` is relative to the root of the sandbox. */
  add(path: string, why: string): void {
    this.total += 1;
    if (this.shown.length >= MOST_SHOWN) return;
    this.shown.push(`left out /${path.slice(0, SHOWN_MAX_CHARS)}: ${why.slice(0, SHOWN_MAX_CHARS)}`);
  }

  addLink({ path, target }: { path: string; target: string }): void {
    this.add(path, `a link that does not end inside the artifact (${target})`);
  }

  lines(): string[] {
    const more = this.total - this.shown.length;
    return more === 0 ? this.shown : [...this.shown, `left out ${more} more`];
  }
}
