import type { HostProfile } from './profile.js'

/** Any program that reads `.mcp.json`. */
export const mcp: HostProfile = {
  label: "any client that reads .mcp.json: escrow's MCP server",
  presence: ['.mcp.json'],
  governed: {
    how: "not governed: its own tools still write to the disk, beside escrow's MCP server",
    onFailure: "start the client with 'escrow run' to govern it",
  },
  protectedNames: { configures: ['.mcp.json'], instructs: ['agents.md'] },
  closedToCommands: ['.mcp.json'],
  workspaceSettings: { json: ['.mcp.json'] },
}
