/** A proxy between an editor and an agent that use the Agent Client Protocol. */
export { serveAcp } from './serve.js'
