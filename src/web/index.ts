/** The review page: a server on this machine, and what it serves. */
export { type ServeOptions, serveReview } from './serve.js'
