/** The Landlock request of `write-only` (include/uapi/linux/landlock.h), the same on every architecture. */
export const LANDLOCK = {
  writeFile: 1 << 1,
  /** Moving files between directories, which every ruleset refuses unless it handles and allows it. */
  refer: 1 << 13,
  /** The first version that has `refer`. */
  leastVersion: 2,
  /** The flags that a path is opened with for a rule. */
  openFlags: 0x28_0000,
} as const
