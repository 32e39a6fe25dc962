/** The review page: a server on this machine, and what it serves. */
export { type App, type AppOptions, createApp, type Mount } from './app.js'
export { type Served, type ServeOptions, serveReview } from './serve.js'
