import type fs from 'node:fs'

/**
 * Every path below a directory, with its type, mode, and content or target. Equal records mean equal trees.
 * @param isLeftOut whether to skip a path, and everything below it
 */
export function readTree(
  node: typeof fs,
  root: string,
  isLeftOut: (path: string) => boolean = (path) => path === '.orchestration',
  dir = '',
): Record<string, string> {
  const files: Record<string, string> = {}
  for (const name of node.readdirSync(`${root}/${dir}`).sort()) {
    const at = dir === '' ? name : `${dir}/${name}`
    if (isLeftOut(at)) continue
    const stats = node.lstatSync(`${root}/${at}`)
    const mode = (stats.mode & 0o777).toString(8)
    if (stats.isSymbolicLink()) files[at] = `link ${node.readlinkSync(`${root}/${at}`)}`
    else if (stats.isDirectory()) Object.assign(files, { [at]: `dir ${mode}` }, readTree(node, root, isLeftOut, at))
    else files[at] = `file ${mode} ${node.readFileSync(`${root}/${at}`, 'utf8')}`
  }
  return files
}
