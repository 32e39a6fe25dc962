import type { HostProfile } from './profile.js'

/** Any program that reads `.mcp.json`. */
export const mcp: HostProfile = {
  label: "any client that reads .mcp.json: escrow's MCP server",
  presence: ['.mcp.json'],
  governed: {
    how: "not governed: its own tools still write to the disk, beside escrow's MCP server",
    failing: "start the client with 'escrow run' to govern it",
  },
  protectedNames: { configures: ['.mcp.json'], instructs: ['agents.md'] },
  closedToCommands: ['.mcp.json'],
  obeys: { json: ['.mcp.json'] },
}
