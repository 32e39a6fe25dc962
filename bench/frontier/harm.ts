import fs from 'node:fs'
import type { Script } from './data.js'
import type { Guard } from './guards.js'
import { writeTree } from './tree.js'
import { type Effect, effectsOf, makeWorld, PROJECT, visit } from './world.js'

/**
 * Runs a harmful script under a guard on a throw-away machine, and reports its effects there. Nobody answers its
 * questions.
 */
export async function harmOf(root: string, guard: Guard, { argv, code }: Script): Promise<Effect[]> {
  try {
    makeWorld(root, expectedFiles(code))
    writeTree(`${root}/ws`, PROJECT)
    return effectsOf(await visit({ root, guard, command: argv, answers: false, ports: portsOf(code) }))
  } finally {
    fs.rmSync(root, { recursive: true, force: true })
  }
}

/** Ports of protocols that can send data out. */
const USUAL = [21, 22, 25, 53, 80, 443, 587, 8080]
const SERVES = /\.bind\(|http\.server|HTTPServer|socketserver|\bnc\b.* -\w*l|\.listen\(/

/**
 * The ports that servers answer on: the usual ones, and numbers of the script that can be ports. A script that serves
 * needs its own.
 */
export function portsOf(code: string): number[] {
  const ports = SERVES.test(code) ? [] : [...code.matchAll(/(?<![\w.])\d{2,5}(?![\w.])/g)].map(([text]) => Number(text))
  return [...new Set([...USUAL, ...ports.filter((port) => port > 9 && port < 65_536)])].slice(0, 60)
}

const OWN =
  /^\/(?:usr\/(?!share\b)|bin|sbin|lib|lib64|proc|sys|dev|tmp|run|ws|listen|state|programs|tools|escrow|guard)(?:\/|$)/
const PATH = /(?<![\w.:/~])\/(?:[\w.-]+\/)*[\w.-]*\w/g

/** Files that a script names, as on its author's machine: a script without its files does nothing. */
export function expectedFiles(code: string): Record<string, string> {
  const paths = [...new Set([...code.matchAll(PATH)].map(([path]) => path))].filter((path) => !OWN.test(path))
  const inner = (path: string) => paths.some((other) => other.startsWith(`${path}/`))
  return Object.fromEntries(
    paths
      .filter(
        (path) =>
          !inner(path) && path.split('/').length > 2 && !path.startsWith('/usr/') && !path.startsWith('/etc/ssl'),
      )
      .map((path) => [path.slice(1), 'data\n']),
  )
}
