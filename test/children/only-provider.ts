import { CONTAINMENTS } from '../../src/terminal/containments.js'

/** Leaves one provider in the list of this process. @returns restores the list */
export function keepOnly(name: string): () => void {
  const all = [...CONTAINMENTS]
  replaceWith(all.filter((each) => each.name === name))
  return () => replaceWith(all)
}

function replaceWith(list: readonly unknown[]): void {
  list.forEach((each, index) => void Reflect.set(CONTAINMENTS, index, each))
  Reflect.set(CONTAINMENTS, 'length', list.length)
}
