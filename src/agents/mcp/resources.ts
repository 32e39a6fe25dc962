import type { ReadResourceResult } from '@modelcontextprotocol/server'
import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import type { Change, Intent, Ledger, Session, TraceRecord } from '../../index.js'

/** How many ledger records to return: the newest. */
const RECORDS_PER_RESOURCE = 200
/** How many staged files to list; the diff of all changes has the others. */
const MAX_LISTED = 1_000

/** Registers the read-only resources of a client. */
export function registerResources(
  server: McpServer,
  session: Session,
  { ledger, onListed }: { readonly ledger: Ledger | undefined; readonly onListed: () => Promise<void> },
): void {
  registerIntents(server, session)
  registerStage(server, session, onListed)
  if (ledger !== undefined) registerTrace(server, session, ledger)
}

function registerIntents(server: McpServer, session: Session): void {
  const selectableIntents = async () => {
    const { intent } = session
    const others = (await session.intents()).filter(({ id }) => id !== intent?.id)
    return intent === undefined ? others : [intent, ...others]
  }
  const list = async () => ({
    resources: (await selectableIntents()).map(({ id, name }) => ({
      uri: intentUri(id),
      name: id,
      title: name,
      mimeType: JSON_TYPE,
    })),
  })
  const config = { title: 'Intents', description: 'Scope, constraints and criteria.', mimeType: JSON_TYPE }
  server.registerResource('intent', new ResourceTemplate('intent://{+id}', { list }), config, async (uri, { id }) => {
    const found = (await selectableIntents()).find((each) => each.id === decodePath(id))
    return document(uri, JSON_TYPE, JSON.stringify(requireResource<Intent>(found, uri), null, 2))
  })
}

function registerStage(server: McpServer, session: Session, onListed: () => Promise<void>): void {
  const name = encodeURIComponent(session.id)
  const list = async () => {
    await onListed()
    const { changes } = await session.changes()
    const files = changes.slice(0, MAX_LISTED).map(({ path, kind }) => {
      return { uri: stageUri(session, path), name: path, description: kind, mimeType: DIFF_TYPE }
    })
    return { resources: files }
  }
  server.registerResource(
    'stage',
    `stage://${name}/diff`,
    { title: 'All staged changes', mimeType: DIFF_TYPE },
    async (uri) => document(uri, DIFF_TYPE, (await session.changes()).changes.map(diffOf).join('\n')),
  )
  const config = { title: 'Staged files', description: 'The diff of a staged file.', mimeType: DIFF_TYPE }
  const template = new ResourceTemplate(`stage://${name}/{+path}/diff`, { list })
  server.registerResource('staged-file', template, config, async (uri, { path }) => {
    const { changes } = await session.changes()
    const found = changes.find((each) => each.path === decodePath(path))
    return document(uri, DIFF_TYPE, diffOf(requireResource<Change>(found, uri)))
  })
}

function registerTrace(server: McpServer, session: Session, ledger: Ledger): void {
  server.registerResource(
    'trace',
    traceUri(session),
    { title: "The session's records in the ledger", mimeType: 'application/x-ndjson' },
    async (uri) => {
      const records: TraceRecord[] = []
      for await (const record of ledger.records({ order: 'newest' })) {
        if (records.length === RECORDS_PER_RESOURCE) break
        if (record.session_id === session.id) records.push(record)
      }
      return document(
        uri,
        'application/x-ndjson',
        records
          .reverse()
          .map((record) => `${JSON.stringify(record)}\n`)
          .join(''),
      )
    },
  )
}

const JSON_TYPE = 'application/json'
const DIFF_TYPE = 'text/x-diff'

const intentUri = (id: string): string => `intent://${encodeURIComponent(id)}`

const traceUri = ({ id }: Session): string => `trace://${encodeURIComponent(id)}`

function stageUri({ id }: Session, path: string): string {
  return `stage://${encodeURIComponent(id)}/${path.split('/').map(encodeURIComponent).join('/')}/diff`
}

/** The URIs whose content a call may have changed, by the stage before and after it. */
export function changedUris(session: Session, before: readonly Change[], now: readonly Change[]): string[] {
  const states = (changes: readonly Change[]) => new Map(changes.map((each) => [each.path, JSON.stringify(each)]))
  const [old, current] = [states(before), states(now)]
  const paths = [...new Set([...old.keys(), ...current.keys()])].filter((path) => old.get(path) !== current.get(path))
  const all = paths.length === 0 ? [] : [`stage://${encodeURIComponent(session.id)}/diff`]
  return [...paths.map((path) => stageUri(session, path)), ...all, traceUri(session)]
}

function diffOf({ path, from, kind, hunks }: Change): string {
  const heads = [
    `# ${kind}`,
    `--- ${kind === 'create' ? '/dev/null' : (from ?? path)}`,
    `+++ ${kind === 'delete' ? '/dev/null' : path}`,
  ]
  return [...heads, ...hunks.map(({ text }) => text.trimEnd()), ''].join('\n')
}

function decodePath(value: string | string[] | undefined): string {
  return decodeURIComponent(typeof value === 'string' ? value : (value ?? []).join('/'))
}

function requireResource<T>(found: T | undefined, uri: URL): T {
  if (found === undefined) throw new Error(`There is no resource ${uri.href}.`)
  return found
}

function document(uri: URL, mimeType: string, text: string): ReadResourceResult {
  return { contents: [{ uri: uri.href, mimeType, text }] }
}
