/** Between an editor and an agent that speak the Agent Client Protocol. */
export { serveAcp } from './serve.js'
