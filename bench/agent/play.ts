import { RECURSIVE } from '../facade/cast.js'
import type { PromiseCalls, Subject, SyncCalls } from '../facade/subjects.js'
import { type Call, CONTENT, callsOf, madeDir, type Op } from './mix.js'

const SYNC: Readonly<Record<Op, (fs: SyncCalls, path: string) => unknown>> = {
  lstat: (fs, path) => fs.lstatSync(path),
  stat: (fs, path) => fs.statSync(path),
  create: (fs, path) => fs.writeFileSync(path, CONTENT),
  readFile: (fs, path) => fs.readFileSync(path),
  readdir: (fs, path) => fs.readdirSync(path),
  edit: (fs, path) => fs.writeFileSync(path, CONTENT),
  unlink: (fs, path) => fs.unlinkSync(path),
}

const PROMISED: Readonly<Record<Op, (fs: PromiseCalls, path: string) => Promise<unknown>>> = {
  lstat: (fs, path) => fs.lstat(path),
  stat: (fs, path) => fs.stat(path),
  create: (fs, path) => fs.writeFile(path, CONTENT),
  readFile: (fs, path) => fs.readFile(path),
  readdir: (fs, path) => fs.readdir(path),
  edit: (fs, path) => fs.writeFile(path, CONTENT),
  unlink: (fs, path) => fs.unlink(path),
}

type Player = Pick<Subject, 'root' | 'sync' | 'promises'>

/** Makes the directories that a run writes to, where a subject wants them made. */
export async function prepare({ root, sync, promises }: Player, files: number, run: number): Promise<void> {
  const edited = callsOf(files, run).filter(({ op }) => op === 'edit')
  const dirs = new Set([madeDir(run), ...edited.map(({ path }) => path.slice(0, path.lastIndexOf('/')))])
  // unionfs writes into the lower directory where its upper layer has none.
  for (const dir of dirs)
    if (sync) sync.mkdirSync(`${root}/${dir}`, RECURSIVE)
    else await promises.mkdir(`${root}/${dir}`, RECURSIVE)
}

/** One run, each call after the one before, in the sync form where there is one. */
export function play({ root, sync, promises }: Player, calls: readonly Call[]): Promise<void> | undefined {
  if (!sync) return playPromised(promises, root, calls)
  for (const { op, path } of calls) SYNC[op](sync, `${root}/${path}`)
  return undefined
}

async function playPromised(promises: PromiseCalls, root: string, calls: readonly Call[]): Promise<void> {
  for (const { op, path } of calls) await PROMISED[op](promises, `${root}/${path}`)
}
