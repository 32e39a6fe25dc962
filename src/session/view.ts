import {
  ancestorsOf,
  diffStage,
  type Inside,
  isWithin,
  lexical,
  memoizePerTick,
  type RelPath,
  Resolver,
  ROOT,
  type StagedChange,
  spellingOf,
} from '../../overlay/index.js'
import { GuardedLayer, View } from '../fs/index.js'
import type { ContentLock, StageStore } from '../stage/index.js'
import type { SessionDeps } from './deps.js'
import type { SessionFeedback } from './feedback.js'
import type { SessionGuard } from './guard.js'

interface ViewParts {
  readonly store: StageStore
  readonly guard: SessionGuard
  readonly lock: ContentLock
  readonly feedback: SessionFeedback
  /** Ingests commits and reviews of other processes. */
  readonly syncExternal: () => void
}

/** The view that the session's `fs` works on: the guard decides each mutator, and the content lock and feedback see each read. */
export function sessionView(deps: SessionDeps, { store, guard, lock, feedback, syncExternal }: ViewParts): View {
  const { overlay } = store
  const spell = deps.foldsNames ? spellingOf(overlay.stage, overlay.lower) : undefined
  const resolver = new Resolver(overlay, deps.aliases, spell)
  const leadsTo = (target: string, link: RelPath) => resolver.leadsTo(target, link)
  return new View({
    root: deps.layout.root,
    resolver,
    overlay,
    layer: new GuardedLayer(overlay, guard, leadsTo),
    seen: (path, content, known) => {
      lock.saw(path, content, known)
      feedback.onRead(path)
    },
    seenStaged: (path) => feedback.onRead(path),
    opened: (place: Inside) => {
      lock.onOpen(place.path)
      feedback.onRead(place.path)
    },
    sync: () => store.sync(),
    catchUp: memoizePerTick(() => {
      if (store.isBehind()) syncExternal()
    }),
  })
}

/** A path argument as policy names it: relative to the root if it is inside, else absolute. */
export function relativeTo(root: string, path: string): RelPath {
  const inner = path.startsWith('/') && isWithin(path, root) ? path.slice(root.length + 1) : path
  return (inner.startsWith('/') ? inner : (lexical(inner) ?? inner)) as RelPath
}

/** The staged changes at the paths and below them; all changes without paths. */
export function stagedBelow({ overlay }: StageStore, root: string, paths?: readonly string[]): StagedChange[] {
  const { changes } = diffStage(overlay)
  if (!paths) return changes
  const wanted = new Set(paths.map((path) => relativeTo(root, path)))
  return changes.filter(({ path }) => [ROOT, path, ...ancestorsOf(path)].some((each) => wanted.has(each)))
}
