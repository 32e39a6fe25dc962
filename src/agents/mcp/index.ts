/** A server of the Model Context Protocol on escrowfs sessions. */
export { type McpConnection, type McpHost, type McpHostOptions, openMcpHost } from './host.js'
export { type HttpOptions, type McpHttp, serveMcpHttp } from './http.js'
export { DENIAL, FEEDBACK } from './result.js'
export { createMcpServer, type McpServerOptions } from './server.js'
export { serveMcpStdio } from './stdio.js'
