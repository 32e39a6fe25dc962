import { expect, it } from 'vitest'
import { site } from './site.js'

/** The file systems that a command can write to: `device options` of each, and the size of those in memory. */
const WRITABLE = `perl -lane 'print "$F[0] $F[1] $F[3]" if $F[2] eq "tmpfs" and $F[3] =~ /^rw/' /proc/mounts`

it('all memory that a command can fill with files is limited, and nearly all is one file system', async () => {
  const { session } = await site()
  const { stdout } = await session.exec(WRITABLE)
  const mounts = stdout.trim().split('\n')
  expect(mounts.filter((line) => !/size=\d+k/.test(line))).toEqual([])
  const small = mounts.filter((line) => Number(/size=(\d+)k/.exec(line)?.[1]) <= 16 * 1024)
  const places = mounts.filter((line) => !small.includes(line)).map((line) => line.split(' ')[1])
  expect(places.filter((at) => !['/tmp', '/var/tmp', '/dev/shm', '/run/escrow/told'].includes(at ?? ''))).toEqual([])
  expect(small.map((line) => line.split(' ')[1])).toContain('/run')
  const usedKilobytes = async (dir: string) => (await session.exec(`df --output=used ${dir} | tail -1`)).stdout.trim()
  await session.exec('head -c 8000000 /dev/zero > /dev/shm/zero')
  expect(Number(await usedKilobytes('/var/tmp'))).toBeGreaterThan(7_000)
  expect((await session.exec('echo x > /dev/new; echo fine > /dev/null; ls /dev/new')).stderr).toContain(
    'Read-only file system',
  )
})

it("a command's temporary files stay for the next command of the session", async () => {
  const { session } = await site()
  await session.exec('echo kept > /tmp/a; echo kept > /var/tmp/b; echo gone > /run/c')
  expect((await session.exec('cat /tmp/a /var/tmp/b; ls /run/c')).stdout).toBe('kept\nkept\n')
})
