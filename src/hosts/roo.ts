import type { HostProfile } from './profile.js'

/** Roo Code. Inside of the editor it is governed by `escrowfs/roo`; `escrow init` enters our MCP server alone. */
export const roo: HostProfile = {
  label: "Roo Code: escrow's MCP server",
  presence: ['.roo', '.roorules'],
  governed: {
    how: "not governed: its own tools still write to the disk, beside escrow's MCP server",
    failing: 'see docs/hosts/roo.md',
  },
  protectedNames: { configures: ['.roo', '.roomodes'], instructs: ['.roorules*'] },
  closedToCommands: ['.roo'],
  obeys: { json: ['.roo/mcp.json'] },
}
