import type { HostProfile } from './profile.js'

/** Any program that reads `.mcp.json`. */
export const mcp: HostProfile = {
  label: 'any client that reads .mcp.json: our MCP server',
  presence: ['.mcp.json'],
  governed: {
    how: 'not governed by this: our MCP server is beside its own tools',
    failing: "run it whole by 'escrow run'",
  },
  protectedNames: { configures: ['.mcp.json'], instructs: ['agents.md'] },
  closedToCommands: ['.mcp.json'],
  obeys: { json: ['.mcp.json'] },
}
