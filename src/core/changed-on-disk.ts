/** Says to a person that a change's base is no longer on disk. */
export function changedOnDisk(path: string): string {
  return `${path} changed on disk after the agent read it.`
}
