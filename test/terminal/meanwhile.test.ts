import fs from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Site, site } from './site.js'

/** A directory next to the workspace, older than any command, that a person moves in. */
async function setUpOlderFile(fixture: Site): Promise<(to: string) => void> {
  const neighbourDir = `${fixture.root}-beside`
  onTestFinished(() => fs.rmSync(neighbourDir, { recursive: true, force: true }))
  fs.mkdirSync(`${neighbourDir}/deep`, { recursive: true })
  fs.writeFileSync(`${neighbourDir}/mine`, 'mine\n')
  fs.writeFileSync(`${neighbourDir}/deep/too`, 'mine too\n')
  await wait(20)
  return (to) => fs.renameSync(neighbourDir, `${fixture.root}/${to}`)
}

const paths = (list: readonly { readonly path: string }[]) => list.map(({ path }) => path)

describe('an entry that a person moves in while a command runs', () => {
  it('does not count as removed if the command still sees the old directory', async () => {
    const fixture = await site({ 'src/a': 'a\n' })
    const move = await setUpOlderFile(fixture)
    const program = `mkdir 'src/own'; rmdir 'src/own'; open F, '>', 'src/own'; opendir D, 'src'; readdir D; $| = 1; print 'ready'; sleep 60`
    const command = await fixture.session.start(['perl', '-e', program])
    while (!command.read().text.includes('ready')) await wait(10)
    move('src/moved')
    const { effects, refused } = await command.ingest()
    expect([paths(effects.changes), refused]).toEqual([['src/own'], []])
    expect(await command.stop()).toMatchObject({ refused: [] })
    expect(paths((await fixture.session.changes()).changes)).toEqual(['src/own'])
  })

  it('is not removed with the directory that it was moved to, nor with one that the command created in its place', async () => {
    const fixture = await site({ 'src/a': 'a\n', 'out/b': 'b\n' })
    const move = await setUpOlderFile(fixture)
    const command = fixture.session.exec('echo ready; sleep 0.5; rm -r src; rm -r out; mkdir out', {
      onOutput: () => move('src/moved'),
    })
    const { effects, refused } = await command
    expect(paths(effects.changes)).toEqual(['out/b'])
    expect(refused.map(({ path, reason }) => [path, reason])).toEqual([['src', 'stale_file']])
    expect(fixture.session.fs.readFileSync(`${fixture.root}/src/moved/deep/too`, 'utf8')).toBe('mine too\n')
  })

  it('is kept if it has the name of one that the command creates', async () => {
    const fixture = await site({ 'src/a': 'a\n' })
    const move = await setUpOlderFile(fixture)
    const { effects, refused } = await fixture.session.exec(
      'mkdir out; echo x > out/x; echo ready; sleep 0.4; cp -r out src',
      {
        onOutput: () => move('out'),
      },
    )
    expect(paths(effects.changes)).not.toContain('out/mine')
    expect(paths(effects.changes)).not.toContain('out/deep/too')
    expect(paths(refused).filter((path) => path.startsWith('src'))).toEqual([])
    expect(fixture.session.fs.readFileSync(`${fixture.root}/out/mine`, 'utf8')).toBe('mine\n')
  })
})
