/** What an error says, whatever was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
