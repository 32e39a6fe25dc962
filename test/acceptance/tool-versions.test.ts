import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { parseVersions, versionsLine } from '../../src/acceptance/tool-versions.js'

const ask = (command: string) =>
  parseVersions(execFileSync('/bin/sh', ['-c', versionsLine(command) ?? 'true']).toString())

describe('the versions of the programs of a command', () => {
  it('are those that the programs print, and node for its scripts', () => {
    expect(ask('cd x && node a.js')).toEqual({ node: process.version })
    expect(ask('npm test')).toMatchObject({ node: process.version, npm: expect.stringMatching(/^\d+\./) })
  })

  it('are asked of no program but known ones, and none that is only part of a word', () => {
    expect(versionsLine('./run-all --node-like mynode; rm x')).toBeUndefined()
  })

  it('leave out a program that does not answer, and lines of other forms', () => {
    expect(parseVersions('node\tv22\nnpm\t\nother\t1\nnode\n\n')).toEqual({ node: 'v22' })
  })
})
