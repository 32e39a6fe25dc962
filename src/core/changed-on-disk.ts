/** The message for a change whose base is no longer on disk. */
export function changedOnDisk(path: string): string {
  return `${path} changed on disk after the agent read it.`
}
