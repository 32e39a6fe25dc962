/** Between an editor and an agent that speak the Agent Client Protocol. */
export { type AcpOptions, serveAcp } from './serve.js'
