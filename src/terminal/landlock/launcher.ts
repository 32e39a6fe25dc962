import { attributeCalls } from './attribute-calls.js'
import { LAUNCHER, type LaunchMachine } from './launch-job.js'
import { openLibc } from './libc.js'
import { networkCalls } from './network-calls.js'
import { restrict } from './restrict.js'
import { supervise } from './supervise.js'

/**
 * The text of a program that restricts a thread of its own by Landlock and a seccomp filter, starts the command from it, and stays as the
 * parent of all its processes: it answers the calls that the filter hands over, watches the limits, and ends every process when the
 * command ends or the channel is closed. If one restriction cannot be applied, nothing is started.
 *
 * The thread ends once the command runs, because a command may signal a thread with its own restrictions. A guard is a
 * shell with the same restrictions. When this program ends or tells it to, the guard kills all processes that it may
 * kill: those are the command's, and none can start another meanwhile.
 *
 * Slow steps are done before its job arrives: the start of Node, the packages, the thread.
 *
 * Each part is the text of one function, which may use nothing outside of itself.
 */
export function launcherProgram(machine: LaunchMachine): string {
  return `(${supervise})({
    openLibc: ${openLibc},
    attributeCalls: ${attributeCalls},
    networkCalls: ${networkCalls},
    restrict: ${restrict},
    numbers: ${JSON.stringify(LAUNCHER)},
    machine: ${JSON.stringify(machine)},
  })`
}
