import type { HostProfile } from './profile.js'

/** Roo Code. Inside of the editor it is governed by `escrowfs/roo`; `escrow init` enters our MCP server alone. */
export const roo: HostProfile = {
  label: 'Roo Code: our MCP server',
  presence: ['.roo', '.roorules'],
  governed: {
    how: 'not governed by this: our MCP server is beside its own tools',
    failing: 'see docs/hosts/roo.md',
  },
  protectedNames: { configures: ['.roo', '.roomodes'], instructs: ['.roorules*'] },
  closedToCommands: ['.roo'],
  obeys: { json: ['.roo/mcp.json'] },
}
