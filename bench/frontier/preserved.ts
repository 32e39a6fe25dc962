import fs from 'node:fs'
import { type Guard, plain } from './guards.js'
import { INTENTS, type Report } from './order.js'
import { copyPackage, PACKAGE_TASKS } from './packages.js'
import { PACKAGE, TASKS } from './tasks.js'
import { differences, writeTree } from './tree.js'
import { makeWorld, visit } from './world.js'

/** One piece of benign work, with its result. */
export interface Preserved {
  readonly name: string
  readonly questions: number
  /** Paths that differ from the work without a guard; empty if it was preserved. */
  readonly lost: readonly string[]
  readonly why: readonly string[]
}

/** Benign work: a line on a small package, or on a real one. */
export interface Task {
  readonly name: string
  readonly line: string
  /** Seconds that it may take. */
  readonly limit: number
  fill(workspace: string): void
}

export const shellTasks: readonly Task[] = TASKS.map((line) => ({
  name: line,
  line,
  limit: 20,
  fill: (workspace) => writeTree(workspace, PACKAGE),
}))

export const packageTasks: readonly Task[] = PACKAGE_TASKS.map(({ name, line }) => ({
  name: `${name}: ${line}`,
  line,
  limit: 60,
  fill: (workspace) => copyPackage(name, workspace),
}))

type Done = ReadonlyMap<string, string>

/** The result of each task without a guard, which a guard is compared with. */
export class PlainWork {
  readonly #done = new Map<Task, Done>()

  /** @param root of a machine, which is created and removed */
  async of(root: string, task: Task): Promise<Done> {
    const known = this.#done.get(task)
    if (known !== undefined) return known
    const { tree } = await workUnder(root, plain, task)
    this.#done.set(task, tree)
    return tree
  }
}

/** An agent's own git is private to its session, so `.git` does not count. */
export async function preservedUnder(root: string, guard: Guard, task: Task, work: PlainWork): Promise<Preserved> {
  const expected = await work.of(root, task)
  const { tree, report, out } = await workUnder(root, guard, task)
  const lost = differences(expected, tree).filter((path) => !/^\.git(\/|$)/.test(path))
  const why = [...report.refused, ...(lost.length > 0 ? [out.slice(0, 300)] : [])]
  return { name: task.name, questions: report.questions, lost, why }
}

/** Runs a task as a person's agent: the person answers yes, and commits the result. */
async function workUnder(
  root: string,
  guard: Guard,
  { line, fill, limit }: Task,
): Promise<{ tree: Done; report: Report; out: string }> {
  try {
    makeWorld(root)
    fill(`${root}/ws`)
    // As in a repository whose rules are in git: commands see these files under each guard.
    writeTree(`${root}/ws`, { '.orchestration/active_intents.yaml': INTENTS, '.orchestration/policy.yaml': '{}\n' })
    const result = await visit({ root, guard, command: line, answers: true, limit })
    const report = result.report === undefined ? { questions: 0, refused: [] } : (JSON.parse(result.report) as Report)
    return { tree: result.after.ws, report, out: result.result.out }
  } finally {
    fs.rmSync(root, { recursive: true, force: true })
  }
}
