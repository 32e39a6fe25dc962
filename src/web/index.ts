/** The review page: its local server and its API, and a page without a server for somebody who has no escrowfs. */
export { type ReviewServer, serveReview } from './serve.js'
export { renderStaticReview } from './static-page.js'
