import { codeOf } from '../../overlay/index.js'
import { sendSignal, startOwn } from '../os/child.js'
import { type CommandEnd, type CommandOptions, collect, createStopper, exitOf } from './command-io.js'

/** A shell's exit code for a program that is not found. */
const NOT_FOUND = 127

/** Runs a command in a copy with the user's full rights. At its end, the rest of its process group is killed. */
export async function runUncontained(
  options: CommandOptions,
  { root, scratch }: { readonly root: string; readonly scratch: string },
): Promise<CommandEnd> {
  const cwd = `${scratch}/tree${options.cwd.slice(root.length)}`
  const capability = {
    TMPDIR: `${scratch}/tmp`,
    XDG_CACHE_HOME: `${scratch}/tmp/.cache`,
    npm_config_cache: `${scratch}/tmp/.npm`,
  }
  const env = { ...options.env, ...capability, PWD: cwd }
  const stdio = options.terminal ? 'inherit' : 'pipe'
  const child = startOwn(options.args, { cwd, env, stdio }, options.terminal === true)
  const stop = createStopper(child, options)
  child.once('spawn', () => child.pid !== undefined && options.onBegin?.(child.pid))
  // A process left running would keep the output open.
  child.once('exit', () => {
    if (child.pid !== undefined && !options.terminal) sendSignal(-child.pid, 'SIGKILL')
  })
  try {
    const notFound = (error: unknown) => {
      if (codeOf(error) === 'ENOENT' || codeOf(error) === 'EACCES') return NOT_FOUND
      throw error
    }
    const [output, code] = await Promise.all([collect(child, options, stop.fail), exitOf(child).catch(notFound)])
    if (stop.failure) throw stop.failure.error
    const exitCode = stop.why === undefined ? code : null
    return { exitCode, ...output, began: true, ...(stop.why && { ended: stop.why }) }
  } finally {
    stop.end()
  }
}
