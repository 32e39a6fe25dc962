/**
 * The hub's server: what agents' machines send to a team's database, and the pages where reviewers decide.
 *
 * In: an open database of a hub; requests with a token or, on the pages, a sign-in by an identity provider. Out: JSON for machines, pages without scripts for people, metrics; spans and metrics
 * for OpenTelemetry, if the operator asks for them.
 *
 * It listens on loopback only: another machine reaches it through a proxy with TLS. No state of its own may be needed to answer, so that
 * several servers share a database. A host's token must never decide, and no answer may contain a detail of the database.
 */
export { serveHub } from './serve.js'
export { readSignInSettings } from './sign-in-settings.js'
export { readTelemetrySettings, startTelemetry } from './telemetry.js'
