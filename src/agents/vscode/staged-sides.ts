import { createHash } from 'node:crypto'
import type { Change, ChangeSet, Workspace } from '../../index.js'
import type { UriLike, VscodeLike } from './api.js'

/** The URI scheme of both sides. Its documents are read-only and have no file. */
export const STAGED_SCHEME = 'escrowfs'

/** The two sides of a change. */
export type Side = 'before' | 'after'

/** The reference in a document's URI of {@link STAGED_SCHEME}. */
export interface SideRef {
  /** The root of its workspace. */
  readonly root: string
  readonly session: string
  /** Relative to the root. */
  readonly path: string
  readonly side: Side
  /** Null for a missing side, whose document is empty. */
  readonly digest: string | null
  /** The displayed version of the path, as {@link displayKey} computes it. */
  readonly shown: string
}

/** The two sides of staged changes as documents of an editor. */
export interface StagedSides<Uri> {
  uri(ref: SideRef): Uri
  dispose(): void
}

/**
 * Registers the document provider. An editor has one provider per scheme, so this one serves all workspaces.
 * @param workspaces called for each document
 */
export function stagedSides<Uri extends UriLike>(
  vscode: Pick<VscodeLike<Uri>, 'Uri' | 'workspace'>,
  workspaces: () => readonly Pick<Workspace, 'root' | 'review'>[],
): StagedSides<Uri> {
  const provider = {
    async provideTextDocumentContent(uri: Uri) {
      const ref = sideRefOf(uri)
      if (ref === undefined) return CHANGED_NOTICE
      if (ref.digest === null) return ''
      const workspace = workspaces().find(({ root }) => root === ref.root)
      if (workspace === undefined) return CHANGED_NOTICE
      return renderContent(await (await workspace.review(ref.session)).content(ref.path, ref.side), ref.digest)
    },
  }
  const registered = vscode.workspace.registerTextDocumentContentProvider(STAGED_SCHEME, provider)
  return {
    uri: ({ path, ...rest }) =>
      vscode.Uri.from({ scheme: STAGED_SCHEME, path: `/${path}`, query: JSON.stringify(rest) }),
    dispose: () => void registered.dispose(),
  }
}

/** Parses a document's URI; undefined for one that was not created here. */
export function sideRefOf({ path, query }: UriLike): SideRef | undefined {
  const { root, session, side, digest, shown } = parseQuery(query)
  if (typeof root !== 'string' || typeof session !== 'string' || typeof shown !== 'string') return undefined
  if (side !== 'before' && side !== 'after') return undefined
  if (digest !== null && typeof digest !== 'string') return undefined
  return { root, session, path: path.slice(1), side, digest, shown }
}

/**
 * A digest of everything that a person can have seen of a path: kind, names, both contents, modes. While it is equal, a verdict on
 * the path is about the displayed version.
 */
export function displayKey({ changes }: Pick<ChangeSet, 'changes'>, path: string): string {
  const displayed = changes.filter((change) => change.path === path).map(displayedFields)
  return createHash('sha256').update(JSON.stringify(displayed)).digest('hex')
}

function displayedFields({ path, from, kind, before, after, mode }: Change): readonly unknown[] {
  return [path, from ?? null, kind, before, after, mode?.before ?? null, mode?.after ?? null]
}

/** Replaces characters that could break a line or disguise a name: agents choose these names. */
export function plainName(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu, '\ufffd')
}

const CHANGED_NOTICE = 'This file changed after the review was opened. Open it again.\n'

function parseQuery(query: string): Record<string, unknown> {
  try {
    const found: unknown = JSON.parse(query)
    return typeof found === 'object' && found !== null ? { ...found } : {}
  } catch {
    return {}
  }
}

/** Renders content only if it still has the reviewed digest. */
function renderContent(content: Uint8Array | undefined, digest: string): string {
  const found = `sha256:${createHash('sha256')
    .update(content ?? '')
    .digest('hex')}`
  if (content === undefined || found !== digest) return CHANGED_NOTICE
  return content.includes(0) ? `Binary, ${content.length} bytes, ${digest}\n` : new TextDecoder().decode(content)
}
