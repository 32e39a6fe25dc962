import { rowOf } from '../../src/fs/ops.js'
import { callShapes, takesDescriptor } from './call-shapes.js'
import { type FsFunction, functionsOf, makeCall } from './make-call.js'
import { createSealedWorkspace, type Mode, type SealedWorkspace } from './sealed.js'
import { watchDisk } from './watch-disk.js'

/** The result of thousands of calls: their number, and forbidden effects. */
export interface CallReport {
  calls: number
  /** Names of the functions that succeeded at least once. */
  readonly succeeded: Set<string>
  readonly breaches: Set<string>
}

export type SealedTest = (workspace: SealedWorkspace, report: CallReport) => Promise<void>

/**
 * Runs work on one sealed workspace, with it as the working directory: a relative path that reached the host's own
 * functions would resolve there, and nothing else on this machine could change.
 */
export async function runSealed(
  mode: Mode,
  work: SealedTest,
  workspace: Promise<SealedWorkspace> = createSealedWorkspace(mode),
): Promise<CallReport> {
  const cwd = process.cwd()
  const sealed = await workspace
  process.chdir(sealed.root)
  const watch = watchDisk([sealed.root, `${sealed.root}/a`, `${sealed.root}/a/b`, sealed.sibling, sealed.canary])
  const report: CallReport = { calls: 0, succeeded: new Set(), breaches: new Set() }
  try {
    await work(sealed, report)
    for (const breach of sealed.breaches()) report.breaches.add(breach)
    // A removed directory causes events by itself, so ignore events after a breach.
    if (report.breaches.size === 0)
      for (const event of await watch.events()) report.breaches.add(`seen on disk: ${event}`)
    return report
  } finally {
    process.chdir(cwd)
    watch.close()
    await sealed.dispose()
  }
}

/** Makes every call of the selected functions of an op. */
export function makeEveryCall(
  stem: string,
  mode: Mode,
  isSelected: (fsFunction: FsFunction) => boolean = () => true,
): SealedTest {
  return async (workspace, report) => {
    for (const fsFunction of functionsOf(workspace.fs).filter((each) => each.stem === stem && isSelected(each))) {
      for (const args of callShapes(stem, workspace)) {
        report.calls++
        if (!(await makeCall(workspace.fs, fsFunction, args))) continue
        report.succeeded.add(fsFunction.name)
        for (const breach of breachesOf(fsFunction, args, workspace, mode)) report.breaches.add(breach)
      }
    }
  }
}

/** The rules that a successful call breaks, whatever its result. */
function breachesOf(
  { name, stem }: FsFunction,
  args: readonly unknown[],
  { opened }: SealedWorkspace,
  mode: Mode,
): string[] {
  const foreign = opened.hosts.some((fd) => fd === args[0]) || args[0] === opened.hostHandle
  const harmless = HARMLESS[stem] ?? HARMLESS[name]
  return [
    ...(takesDescriptor(stem) && foreign ? [`${name} succeeded for a descriptor of the host`] : []),
    ...(rowOf(stem).kind === 'refused' && !harmless ? [`${name} is refused, and succeeded`] : []),
    ...(mode === 'deny all' && !harmless ? [`${name} succeeded, and all is denied`] : []),
  ]
}

/** Functions that may succeed although everything is denied, with the reason. */
const HARMLESS: Readonly<Record<string, string>> = {
  Dir: 'a class of the host, which opens nothing',
  Dirent: 'a class of the host, which opens nothing',
  Stats: 'a class of the host, which opens nothing',
  _toUnixTimestamp: 'arithmetic',
  close: 'releases a granted descriptor',
  fstat: 'was granted when the descriptor was opened',
  fsync: 'changes nothing that was not granted',
  fdatasync: 'changes nothing that was not granted',
  rm: 'with `force`, an absent or hidden path is not an error',
  'promises.watch': 'opens nothing before the first event is requested',
  watchFile: 'reports an absent file, and a hidden one likewise',
  unwatchFile: 'ends a granted watch',
}
