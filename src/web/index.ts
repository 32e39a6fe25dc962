/** The review page: its local server and its API. */
export { serveReview } from './serve.js'
