import type { HostProfile } from './profile.js'

/** Roo Code. In the editor, `escrowfs/roo` governs it; `escrow init` adds only the MCP server. */
export const roo: HostProfile = {
  label: "Roo Code: escrow's MCP server",
  presence: ['.roo', '.roorules'],
  governed: {
    how: "not governed: its own tools still write to the disk, beside escrow's MCP server",
    onFailure: 'see docs/hosts/roo.md',
  },
  protectedNames: { configures: ['.roo', '.roomodes'], instructs: ['.roorules*'] },
  closedToCommands: ['.roo'],
  workspaceSettings: { json: ['.roo/mcp.json'] },
}
