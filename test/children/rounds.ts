export const FILES = ['src/one.txt', 'src/two.txt', 'src/deep/three.txt', 'src/deep/four.txt']

/** The paths of `count` files, ten in each directory. */
export function roundFiles(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `d${Math.floor(i / 10)}/f${i}.txt`)
}
