import type { Overlay } from '../../overlay/index.js'
import type { CheckOptions, IntentCheck } from '../core/api.js'
import { defined } from '../core/defined.js'
import { CommandView, type OpenedPlace, openPlace, runIn, shellOf } from '../exec/index.js'
import type { Policy } from '../policy/index.js'
import { commandEnv, PROCESSES } from '../terminal/index.js'
import type { StoredEvidence } from './evidence.js'
import { KeptOutput } from './kept-output.js'
import { maskFor } from './mask.js'
import { parseVersions, versionsLine } from './tool-versions.js'

/** Seconds that a check may take by default. */
const DEFAULT_TIMEOUT = 600
/** Milliseconds for all versions together. */
const VERSIONS_TIMEOUT = 10_000

/** Where a check runs, and for whom. */
export interface CheckPlace {
  readonly root: string
  /** Where the command starts: the root, if it is not given. */
  readonly cwd?: string
  readonly sessionId: string
  readonly intentId: string
  readonly policy: Policy
  /** The disk with the selected changes. */
  readonly overlay: Overlay
}

/** The evidence that a run itself produces. */
export type CheckOutcome = Pick<
  StoredEvidence,
  'exitCode' | 'ended' | 'duration' | 'output' | 'truncated' | 'isolation' | 'tools'
>

/**
 * Runs one check in a mount of its own. The command's writes are dropped when the mount closes.
 * @throws the reason of `signal` if that stopped it; EscrowError `unsupported` if the machine cannot contain it and
 *   policy does not allow a copy.
 */
export async function runCheck(
  { root, cwd = root, sessionId, intentId, policy, overlay }: CheckPlace,
  check: IntentCheck,
  { signal, onOutput }: Pick<CheckOptions, 'signal' | 'onOutput'>,
): Promise<CheckOutcome> {
  const view = new CommandView(root, policy)
  const visibility = view.outside()
  const mask = maskFor(overlay, view.secretPaths(overlay))
  const network = check.network ?? false
  const opened = await openPlace(root, policy, { network })
  const { place } = opened
  try {
    signal?.throwIfAborted()
    place.seed(overlay, view.closedPaths(overlay, visibility))
    const shared = {
      cwd,
      env: commandEnv({}, { session: sessionId, root, intent: intentId }),
      visibility,
      readOnlyNames: [],
      processes: PROCESSES,
    }
    const tools = await versionsFor(opened, check, { ...shared, signal })
    const keptOutput = new KeptOutput()
    const began = performance.now()
    const { exitCode, ended } = await runIn(opened, {
      ...shared,
      args: shellOf(check.run),
      network,
      timeout: (check.timeout ?? DEFAULT_TIMEOUT) * 1000,
      signal,
      keepBytes: 0,
      onOutput(chunk, stream) {
        keptOutput.add(chunk)
        onOutput?.(chunk, stream)
      },
    })
    const duration = Math.round(performance.now() - began)
    if (ended === 'aborted') throw signal?.reason ?? new Error('The check was stopped.')
    const { output, truncated } = keptOutput.read(mask)
    const { isolation } = place
    return { exitCode, duration, output, isolation, tools, ...(truncated && { truncated }), ...defined({ ended }) }
  } finally {
    await place.close()
  }
}

type Shared = Omit<Parameters<typeof runIn>[1], 'args' | 'network'>

async function versionsFor(opened: OpenedPlace, { run }: IntentCheck, shared: Shared): Promise<Record<string, string>> {
  const line = versionsLine(run)
  if (line === undefined) return {}
  const { stdout } = await runIn(opened, { ...shared, args: shellOf(line), network: false, timeout: VERSIONS_TIMEOUT })
  return parseVersions(stdout)
}
