import { createHash } from 'node:crypto'
import type { Change, ChangeSet, Workspace } from '../../index.js'
import type { UriLike, VscodeLike } from './api.js'

/** The scheme of both sides: documents of it cannot be edited, and no file is behind them. */
export const STAGED_SCHEME = 'escrowfs'

/** What a change is shown against, and what it makes of it. */
export type Side = 'before' | 'after'

/** What a document of {@link STAGED_SCHEME} is of. */
export interface SideRef {
  /** The root of the workspace it belongs to. */
  readonly root: string
  readonly session: string
  /** Relative to the root. */
  readonly path: string
  readonly side: Side
  /** Null where nothing is on that side: the document is empty. */
  readonly digest: string | null
  /** What was shown of the path, as {@link displayKey} makes it. */
  readonly shown: string
}

/** The two sides of staged changes, as documents of an editor. */
export interface StagedSides<Uri> {
  uri(ref: SideRef): Uri
  dispose(): void
}

/**
 * Registers the documents. An editor knows one provider for a scheme, so this one serves all workspaces.
 * @param workspaces asked for each document
 */
export function stagedSides<Uri extends UriLike>(
  vscode: Pick<VscodeLike<Uri>, 'Uri' | 'workspace'>,
  workspaces: () => readonly Pick<Workspace, 'root' | 'review'>[],
): StagedSides<Uri> {
  const provider = {
    async provideTextDocumentContent(uri: Uri) {
      const ref = sideRefOf(uri)
      if (ref === undefined) return MOVED
      if (ref.digest === null) return ''
      const workspace = workspaces().find(({ root }) => root === ref.root)
      if (workspace === undefined) return MOVED
      return textOf(await (await workspace.review(ref.session)).content(ref.path, ref.side), ref.digest)
    },
  }
  const registered = vscode.workspace.registerTextDocumentContentProvider(STAGED_SCHEME, provider)
  return {
    uri: ({ path, ...rest }) =>
      vscode.Uri.from({ scheme: STAGED_SCHEME, path: `/${path}`, query: JSON.stringify(rest) }),
    dispose: () => void registered.dispose(),
  }
}

/** What a document is of; undefined for one that was not made here. */
export function sideRefOf({ path, query }: UriLike): SideRef | undefined {
  const { root, session, side, digest, shown } = fieldsOf(query)
  if (typeof root !== 'string' || typeof session !== 'string' || typeof shown !== 'string') return undefined
  if (side !== 'before' && side !== 'after') return undefined
  if (digest !== null && typeof digest !== 'string') return undefined
  return { root, session, path: path.slice(1), side, digest, shown }
}

/**
 * All that a person can have been shown of a path, as one word: kind, names, both contents, modes. While it is equal, a
 * verdict on the path is one on what was shown.
 */
export function displayKey({ changes }: Pick<ChangeSet, 'changes'>, path: string): string {
  const seen = changes.filter((change) => change.path === path).map(wholeOf)
  return createHash('sha256').update(JSON.stringify(seen)).digest('hex')
}

function wholeOf({ path, from, kind, before, after, mode }: Change): readonly unknown[] {
  return [path, from ?? null, kind, before, after, mode?.before ?? null, mode?.after ?? null]
}

/** A name that must stay on its line, and not look like another: what an agent wrote, in a title or a list. */
export function plainName(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu, '\ufffd')
}

const MOVED = 'This file changed after the review was opened. Open it again.\n'

function fieldsOf(query: string): Record<string, unknown> {
  try {
    const found: unknown = JSON.parse(query)
    return typeof found === 'object' && found !== null ? { ...found } : {}
  } catch {
    return {}
  }
}

/** What is not what the review was about is not shown as if it were. */
function textOf(content: Uint8Array | undefined, digest: string): string {
  const found = `sha256:${createHash('sha256')
    .update(content ?? '')
    .digest('hex')}`
  if (content === undefined || found !== digest) return MOVED
  return content.includes(0) ? `Binary, ${content.length} bytes, ${digest}\n` : new TextDecoder().decode(content)
}
