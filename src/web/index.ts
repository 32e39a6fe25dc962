/** The review page: a server on this machine, and what it serves. */
export { serveReview } from './serve.js'
