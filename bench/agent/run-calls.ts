import { RECURSIVE } from '../facade/participants.js'
import type { PromiseCalls, Subject, SyncCalls } from '../facade/subjects.js'
import { type Call, CONTENT, callsOf, type Op, runDir } from './mix.js'

const SYNC: Readonly<Record<Op, (fs: SyncCalls, path: string) => unknown>> = {
  lstat: (fs, path) => fs.lstatSync(path),
  stat: (fs, path) => fs.statSync(path),
  create: (fs, path) => fs.writeFileSync(path, CONTENT),
  readFile: (fs, path) => fs.readFileSync(path),
  readdir: (fs, path) => fs.readdirSync(path),
  edit: (fs, path) => fs.writeFileSync(path, CONTENT),
  unlink: (fs, path) => fs.unlinkSync(path),
}

const PROMISE: Readonly<Record<Op, (fs: PromiseCalls, path: string) => Promise<unknown>>> = {
  lstat: (fs, path) => fs.lstat(path),
  stat: (fs, path) => fs.stat(path),
  create: (fs, path) => fs.writeFile(path, CONTENT),
  readFile: (fs, path) => fs.readFile(path),
  readdir: (fs, path) => fs.readdir(path),
  edit: (fs, path) => fs.writeFile(path, CONTENT),
  unlink: (fs, path) => fs.unlink(path),
}

type CallTarget = Pick<Subject, 'root' | 'sync' | 'promises'>

/** Creates the directories that a run writes to. */
export async function prepare({ root, sync, promises }: CallTarget, files: number, run: number): Promise<void> {
  const edited = callsOf(files, run).filter(({ op }) => op === 'edit')
  const dirs = new Set([runDir(run), ...edited.map(({ path }) => path.slice(0, path.lastIndexOf('/')))])
  // unionfs writes into the lower directory where its upper layer has none.
  for (const dir of dirs)
    if (sync) sync.mkdirSync(`${root}/${dir}`, RECURSIVE)
    else await promises.mkdir(`${root}/${dir}`, RECURSIVE)
}

/** Makes the calls of a run in sequence, in the sync form if the subject has one. */
export function runCalls({ root, sync, promises }: CallTarget, calls: readonly Call[]): Promise<void> | undefined {
  if (!sync) return runPromiseCalls(promises, root, calls)
  for (const { op, path } of calls) SYNC[op](sync, `${root}/${path}`)
  return undefined
}

async function runPromiseCalls(promises: PromiseCalls, root: string, calls: readonly Call[]): Promise<void> {
  for (const { op, path } of calls) await PROMISE[op](promises, `${root}/${path}`)
}
