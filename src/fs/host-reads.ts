import * as fs from 'node:fs'
import { openForReading } from '../../overlay/index.js'

/** The functions of the host's `node:fs` that read, and no other: a view cannot write through them. */
export interface HostReads
  extends Pick<
    typeof fs,
    'accessSync' | 'existsSync' | 'lstatSync' | 'readlinkSync' | 'realpathSync' | 'statSync' | 'statfsSync'
  > {
  /** Takes no options, because a `flag` can truncate a file. Reads a FIFO without a writer as empty. */
  readFileSync(path: string): Buffer
}

export const HOST_READS: HostReads = {
  accessSync: fs.accessSync,
  existsSync: fs.existsSync,
  lstatSync: fs.lstatSync,
  readFileSync: readWithoutWaiting,
  readlinkSync: fs.readlinkSync,
  realpathSync: fs.realpathSync,
  statSync: fs.statSync,
  statfsSync: fs.statfsSync,
}

function readWithoutWaiting(path: string): Buffer {
  const fd = openForReading(path, true)
  try {
    return fs.readFileSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}
